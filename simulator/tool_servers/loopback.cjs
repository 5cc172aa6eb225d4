// Loaded before a server that names no host: it then listens on this machine only.

const { Server } = require("node:net");

const listen = Server.prototype.listen;

Server.prototype.listen = function listenOnLoopback(port, ...more) {
  return Number.isInteger(Number(port)) ? listen.call(this, Number(port), "127.0.0.1", ...more) : listen.call(this, port, ...more);
};
