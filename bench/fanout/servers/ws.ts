/** The package ws, as its documentation does a broadcast: one send per client. */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { envelope, obey, path } from '../protocol.ts';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path, perMessageDeflate: false });
server.on('listening', () => {
  obey((server.address() as AddressInfo).port, seq => {
    const frame = `{"type":"event","seq":${seq},"event":${envelope(seq)}}`;
    for (const client of server.clients) client.send(frame);
  });
});
