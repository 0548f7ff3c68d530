/**
 * IngestMessages while the owner of threads is killed, or stopped for longer than its lease: each thread is stored in the order in which
 * its messages were sent, none is lost or doubled, and the other threads go on.
 */
import { once } from 'node:events';
import { status as codes, type ClientDuplexStream } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import type { IngestMessagesRequest } from '../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse__Output } from '../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { pickPort } from '../support/free-port.ts';
import { bearer, connect, inbound } from '../gateway/grpc/grpc-fixture.ts';
import { Line } from '../node/client.ts';
import { signUp, type Tenant } from '../node/tenant.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { TestCluster } from './support/cluster.ts';

const threads = 40;
const perThread = 80;

interface Thread {
  readonly ref: string;
  id: string;
  /** How many of its messages were begun: the next one's number. */
  next: number;
  /** Sent and not accepted, in their order. */
  readonly open: number[];
  /** Of `open`, how many are not answered. */
  unanswered: number;
  /** One of `open` was refused: nothing new is sent until all of them were answered, and then sent again. */
  broken: boolean;
}

/** A client that keeps the order of each thread as docs/guide/grpc.md tells. */
class OrderedSender {
  readonly threads: readonly Thread[];
  accepted = 0;
  refused = 0;
  readonly #call: ClientDuplexStream<IngestMessagesRequest, IngestMessagesResponse__Output>;
  readonly #tenant: Tenant;
  readonly #name: string;
  readonly #waiting = new Set<() => void>();

  constructor(
    call: ClientDuplexStream<IngestMessagesRequest, IngestMessagesResponse__Output>,
    tenant: Tenant,
    name: string,
  ) {
    this.#call = call;
    this.#tenant = tenant;
    this.#name = name;
    this.threads = Array.from({ length: threads }, (_, n) => ({
      ref: `${name}-${n}`,
      id: '',
      next: 0,
      open: [],
      unanswered: 0,
      broken: false,
    }));
    call.on('data', (answer: IngestMessagesResponse__Output) => this.#take(answer));
  }

  /** Sends the next messages of all threads by turns until each was sent up to the number; as fast as the other side lets it. */
  async sendUpTo(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      for (let at = 0; at < threads; at++) {
        const thread = this.#thread(at);
        if (thread.next > n) continue;
        await this.until('thread that is whole again', () => !thread.broken);
        thread.open.push(thread.next);
        if (!this.#write(at, thread.next++)) await once(this.#call, 'drain');
      }
    }
  }

  /** Resolves when it is so, which is looked at after each answer. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const so = async (): Promise<void> => {
      while (!isSo()) await new Promise<void>(resolve => this.#waiting.add(resolve));
    };
    await withTimeLimit(so(), what);
  }

  async end(): Promise<void> {
    const ended = once(this.#call, 'end');
    this.#call.end();
    await ended;
  }

  #thread(at: number): Thread {
    const thread = this.threads[at];
    if (thread === undefined) throw new Error(`no thread ${at}`);
    return thread;
  }

  #write(at: number, number: number): boolean {
    const thread = this.#thread(at);
    thread.unanswered++;
    const key = `${this.#name}-${at}-${number}`;
    const message = inbound(this.#tenant, key, { externalParticipantRef: thread.ref, body: String(number) });
    return this.#call.write({ correlationId: `${at}/${number}`, message });
  }

  #take({ correlationId, accepted, error }: IngestMessagesResponse__Output): void {
    const [at = -1, number = -1] = correlationId.split('/').map(Number);
    const thread = this.#thread(at);
    thread.unanswered--;
    if (accepted?.message) {
      thread.id = accepted.message.threadId;
      thread.open.splice(thread.open.indexOf(number), 1);
      this.accepted++;
    } else if (error?.code === codes.UNAVAILABLE) {
      thread.broken = true;
      this.refused++;
    } else {
      throw new Error(`${correlationId} was refused: ${error?.message}`);
    }
    if (thread.broken && thread.unanswered === 0) {
      for (const open of thread.open) this.#write(at, open);
      thread.broken = false;
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

const cluster = await TestCluster.start(t, { nodes: 2 });
const grpcPort = await pickPort();
const entry = await cluster.add({ GRPC_PORT: String(grpcPort) });
await cluster.balanced();

interface Fixture {
  readonly sender: OrderedSender;
  /** Has threads of the sender, and is not the node that the sender speaks to. */
  readonly owner: NodeProcess;
  readonly owned: readonly Thread[];
}

/** Opens a stream to one node with a message of each thread. Another node owns some of the threads. */
async function startFixture(t: Test, name: string): Promise<Fixture> {
  const tenant = await signUp(new Line(entry.url, t));
  const client = connect(t, `127.0.0.1:${grpcPort}`);
  const sender = new OrderedSender(client.ingestMessages(bearer(cluster.serviceToken)), tenant, name);
  await sender.sendUpTo(1);
  await sender.until('first message of each thread', () => sender.accepted === threads);
  const [owner] = cluster.running.filter(node => node !== entry);
  if (owner === undefined) throw new Error('no other node');
  const isOwned = await cluster.ownership(owner);
  const owned = sender.threads.filter(({ id }) => isOwned(id));
  t.ok(owned.length > 0, `it owns ${owned.length} of the threads`);
  return { sender, owner, owned };
}

/** Resolves when messages of the owner's threads wait in vain, and others were accepted nevertheless. */
async function untilStuck(t: Test, { sender, owned }: Fixture): Promise<void> {
  const others = sender.threads.filter(thread => !owned.includes(thread));
  const before = others.map(({ next, open }) => next - open.length);
  await sender.until('messages that wait for the owner', () =>
    owned.every(({ unanswered }) => unanswered > 1),
  );
  await sender.until('messages of others', () =>
    others.every(({ next, open }, at) => next - open.length > (before[at] ?? 0) + 1),
  );
  t.pass('other threads go on');
}

async function checkStored(t: Test, { sender }: Fixture): Promise<void> {
  await sender.until('answer to every message', () => sender.accepted === threads * perThread);
  await sender.end();
  const sent = Array.from({ length: perThread }, (_, n) => String(n));
  for (const { ref } of sender.threads) {
    const rows = await cluster.database.database.query<{ body: string }>(
      `select m.body from messages m join threads t on t.thread_id = m.thread_id
       where t.external_ref = $1 order by m.sequence`,
      [ref],
    );
    t.same(
      rows.map(({ body }) => body),
      sent,
      `${ref} is stored as it was sent`,
    );
  }
  t.comment(`${sender.refused} messages were answered UNAVAILABLE and sent again`);
}

t.test('the owner of threads is stopped for longer than its lease, and goes on', async t => {
  const fixture = await startFixture(t, 'stopped');
  const { sender, owner, owned } = fixture;
  owner.pause();
  const sending = sender.sendUpTo(perThread);
  await untilStuck(t, fixture);
  const accepted = owned.map(({ next, open }) => next - open.length);
  await sender.until('answers of the successor', () =>
    owned.every(({ next, open }, at) => next - open.length > (accepted[at] ?? 0)),
  );
  const again = owner.said('joined the cluster');
  owner.resume();
  await again;
  await sending;
  await checkStored(t, fixture);
  await cluster.balanced();
});

t.test('the owner of threads is killed in the middle of a stream', async t => {
  const fixture = await startFixture(t, 'killed');
  const { sender, owner } = fixture;
  // First stopped, so that messages are on their way to it when it dies.
  owner.pause();
  const sending = sender.sendUpTo(perThread);
  await untilStuck(t, fixture);
  await owner.kill();
  await sending;
  await checkStored(t, fixture);
});
