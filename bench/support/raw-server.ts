/** A server of raw HTTP/1.1 over kept-alive sockets, which answers every request at once: what a receiver costs least with. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface RawRequest {
  readonly head: string;
  readonly body: Buffer;
}

/**
 * Listens on a free port of the loopback address.
 *
 * @param answer the whole answer to each request
 * @param take gets the requests in the order in which they came, after their answers were written
 */
export function serveRaw(
  answer: string,
  take: (request: RawRequest) => void,
  onListening: (port: number) => void,
): Server {
  const server = createServer(socket => serve(socket, answer, take));
  server.listen(0, '127.0.0.1', () => onListening((server.address() as AddressInfo).port));
  return server;
}

function serve(socket: Socket, answer: string, take: (request: RawRequest) => void): void {
  let rest: Buffer | undefined;
  socket.setNoDelay(true);
  // A sender that was stopped resets its connections.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = bytes.toString('latin1', 0, end);
      const total = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1]);
      if (Number.isNaN(total)) throw new Error(`a request without a length: ${head}`);
      if (bytes.length < total) break;
      socket.write(answer);
      take({ head, body: bytes.subarray(end + 4, total) });
      bytes = bytes.subarray(total);
    }
    rest = bytes.length === 0 ? undefined : bytes;
  });
}
