// A bot of Java's standard library, run as a source file: it echoes; to "leave URL", "wrong host" and "standard library" it tells what became of a call.

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Standard {
    static final String LINE = "https://api.line.me/v2/bot";
    static final Pattern EVENT = Pattern.compile("\"(replyToken|text)\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
    static final HttpClient client = HttpClient.newHttpClient();

    static int call(String method, String url, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer " + System.getenv("LINE_CHANNEL_ACCESS_TOKEN"))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
        return client.send(request, BodyHandlers.ofString()).statusCode();
    }

    static String answerTo(String text) {
        String url = text.startsWith("leave ") ? text.substring("leave ".length()) : null;
        if (text.equals("wrong host")) url = "https://api-data.line.me/v2/bot/info";
        if (text.equals("standard library")) url = LINE + "/info";
        if (url == null) return text;
        try {
            return String.valueOf(call("GET", url, ""));
        } catch (Exception error) {
            return error.getClass().getSimpleName();
        }
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/callback", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), "UTF-8");
            String token = null;
            String text = null;
            for (Matcher found = EVENT.matcher(body); found.find();) {
                if (found.group(1).equals("text")) text = found.group(2);
                else token = found.group(2);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            if (token == null || text == null) return;
            String messages = "[{\"type\": \"text\", \"text\": \"" + answerTo(text) + "\"}]";
            try {
                call("POST", LINE + "/message/reply", "{\"replyToken\": \"" + token + "\", \"messages\": " + messages + "}");
            } catch (Exception error) {
                error.printStackTrace();
            }
        });
        server.start();
    }
}
