/** The clients: thousands of websockets in a process of their own, which count events and answer heartbeats. */
import { WebSocket } from 'ws';
import { serveParent } from '../support/child.ts';
import type { ClientTask } from './protocol.ts';

/** Handshakes under way at once. */
const atOnce = 100;

let events = 0;
let lost = 0;
let arrived: () => void = () => undefined;

/** Opens one socket; resolves once it receives events, which Skein says with `resumed`. */
function open(url: string, resume: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    let ready = false;
    socket.on('open', () => {
      if (resume) socket.send('{"type":"resume"}');
      else {
        ready = true;
        resolve();
      }
    });
    socket.on('message', (data: Buffer) => {
      // {"type":"event" | {"type":"ping" | {"type":"resumed"
      const letter = data[9];
      if (letter === 0x65) {
        events++;
        arrived();
      } else if (letter === 0x70) socket.send('{"type":"pong"}');
      else {
        ready = true;
        resolve();
      }
    });
    socket.on('error', reject);
    socket.on('close', code => {
      if (ready) lost++;
      else reject(new Error(`closed with ${code}`));
    });
  });
}

async function connect(url: string, sockets: number, resume: boolean): Promise<void> {
  let left = sockets;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await open(url, resume);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function count(expected: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, 5_000);
    arrived = () => {
      if (events < expected) return;
      clearTimeout(timer);
      resolve();
    };
    arrived();
  });
}

serveParent(async (task: ClientTask) => {
  if (task.do === 'connect') return connect(task.url, task.sockets, task.resume);
  await count(task.expected);
  const counted = { events, lost };
  events = 0;
  return counted;
});
