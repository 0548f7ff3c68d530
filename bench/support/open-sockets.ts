/** Opens as many websockets as it is told, one after another, and keeps them until it is killed. Started by `idle-sockets.ts`. */
import { connect } from 'node:net';

export interface OpenSocketsTask {
  readonly port: number;
  readonly count: number;
}

const handshake = [
  'GET /rooms/1/ws HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

function openSockets({ port, count }: OpenSocketsTask): void {
  if (count === 0) return;
  const socket = connect(port, '127.0.0.1', () => socket.write(handshake));
  socket.once('data', () => openSockets({ port, count: count - 1 }));
  socket.on('error', () => undefined);
}

process.on('message', openSockets);
