/** A DNS server of our own (RFC 1035), so that tests of names ask a real resolver over a real socket. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';

const typeA = 1;
const typeAaaa = 28;
const typeTxt = 16;
const typeNames: Readonly<Record<number, string>> = { [typeA]: 'A', [typeAaaa]: 'AAAA', [typeTxt]: 'TXT' };

/** The addresses of a name at the `asked`th question for that sort of record (1 for the first). Undefined: no answer at all. */
export type Zone = Readonly<Record<string, (asked: number) => readonly string[] | undefined>>;

/** The texts of a name, each shorter than 256 bytes; none: there is no such name. */
export type Texts = (name: string) => readonly string[];

export class NameServer {
  /** Questions so far, by `name/A`, `name/AAAA` and `name/TXT`. */
  readonly asked = new Map<string, number>();
  readonly #socket: Socket;
  readonly #zone: Zone;
  readonly #texts: Texts;

  private constructor(zone: Zone, texts: Texts) {
    this.#zone = zone;
    this.#texts = texts;
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (message, { port, address }) => {
      const answer = this.#answer(message);
      if (answer !== undefined) this.#socket.send(answer, port, address);
    });
  }

  static async start(zone: Zone, texts: Texts = () => []): Promise<NameServer> {
    const server = new NameServer(zone, texts);
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  /** `address:port`. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  #answer(message: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const type = message.readUInt16BE(at + 1);
    const question = message.subarray(12, at + 5);
    const key = `${name}/${typeNames[type] ?? 'A'}`;
    const count = (this.asked.get(key) ?? 0) + 1;
    this.asked.set(key, count);

    const entry = this.#zone[name];
    const addresses = entry === undefined ? [] : entry(count);
    if (addresses === undefined) return undefined;
    const found = addresses
      .map(address => Buffer.from(ipaddr.parse(address).toByteArray()))
      .filter(bytes => bytes.length === (type === typeAaaa ? 16 : type === typeA ? 4 : 0));
    const texts = type === typeTxt ? this.#texts(name) : [];
    const records = [
      ...found,
      ...texts.map(text => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])),
    ];
    const header = Buffer.from(message.subarray(0, 12));
    // A recursive answer; NXDOMAIN for a name that is not in the zone.
    header.writeUInt16BE(0x8180 | (entry === undefined && texts.length === 0 ? 3 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = records.map(bytes => {
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    return Buffer.concat([header, question, ...answers]);
  }
}
