// An echo bot of Go's standard library; to "leave URL", "wrong host" and "standard library" it tells what became of a call elsewhere.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

const line = "https://api.line.me/v2/bot"

func call(method, url string, body []byte) (int, error) {
	request, _ := http.NewRequest(method, url, bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("LINE_CHANNEL_ACCESS_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return response.StatusCode, nil
}

func answerTo(text string) string {
	url := map[string]string{"wrong host": "https://api-data.line.me/v2/bot/info", "standard library": line + "/info"}[text]
	if strings.HasPrefix(text, "leave ") {
		url = strings.TrimPrefix(text, "leave ")
	}
	if url == "" {
		return text
	}
	status, err := call("GET", url, nil)
	if err != nil {
		return "error"
	}
	return fmt.Sprint(status)
}

func main() {
	http.HandleFunc("/callback", func(response http.ResponseWriter, request *http.Request) {
		var delivery struct {
			Events []struct {
				ReplyToken string
				Message    struct{ Text string }
			}
		}
		if json.NewDecoder(request.Body).Decode(&delivery) != nil {
			response.WriteHeader(400)
			return
		}
		for _, event := range delivery.Events {
			message := map[string]string{"type": "text", "text": answerTo(event.Message.Text)}
			body, _ := json.Marshal(map[string]any{"replyToken": event.ReplyToken, "messages": []any{message}})
			if status, err := call("POST", line+"/message/reply", body); err != nil || status != 200 {
				fmt.Fprintln(os.Stderr, status, err)
			}
		}
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
