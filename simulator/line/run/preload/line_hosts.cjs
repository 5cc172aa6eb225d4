// Loaded by the bot's Node.js at its start: LINE's names lead to the simulator, and names that are not allowed are refused.
"use strict";
const net = require("node:net");

const HOSTS = new Set(["api.line.me", "api-data.line.me", "access.line.me", "manager.line.biz"]);
const LOCAL = new Set(["localhost", "127.0.0.1", "0.0.0.0", "::1", "::"]);
const port = Number(process.env.LINE_SIMULATOR_TLS_PORT ?? 0);
const allowed = new Set((process.env.LINE_SIMULATOR_ALLOWED ?? "").split(","));
const connect = net.Socket.prototype.connect;

function redirected(options) {
  const host = String(options.host ?? "localhost").toLowerCase();
  if (HOSTS.has(host) && Number(options.port) === 443) return { ...options, host: "127.0.0.1", port, lookup: undefined };
  if (options.path === undefined && !LOCAL.has(host) && !allowed.has(host)) {
    throw new Error(`${host} is not allowed by line-simulator; see --allow`);
  }
  return options;
}

if (port) {
  net.Socket.prototype.connect = function (...parameters) {
    // connect(options, listener), connect(port, host, listener), or the normalized list of those
    const normalized = Array.isArray(parameters[0]) ? parameters[0] : net._normalizeArgs(parameters);
    try {
      normalized[0] = redirected(normalized[0]);
    } catch (error) {
      process.nextTick(() => this.destroy(error));
      return this;
    }
    return connect.call(this, normalized);
  };
}
