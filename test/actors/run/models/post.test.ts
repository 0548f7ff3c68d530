/** Servers that send far too much: it is not read, and none of it is kept. */
import t, { type Test } from 'tap';
import { providers } from '../../../../protocol/resources/byok.ts';
import { answer, type Receiver } from '../../../support/receiver.ts';
import {
  answered,
  chunk,
  getFailure,
  receiverFor,
  untilTimers,
  createModelFixture,
} from './model-fixture.ts';

const mebibyte = 1_024 * 1_024;
const maxStreamBytes = 16 * mebibyte;
/** What two sockets may hold beyond what was read. */
const onTheWay = 16 * mebibyte;
const endless = { errorCode: 'invalid_answer', errorMessage: 'the answer does not end' };

/** Answers with the beginning and then with ever more. Returns how many bytes of each answer were sent when its connection was closed. */
function flooded(receiver: Receiver, status: number, beginning: string, more: Buffer) {
  const sent: number[] = [];
  receiver.behaviour = (_request, response) => {
    const { socket } = response;
    const before = socket?.bytesWritten ?? 0;
    response.on('close', () => sent.push((socket?.bytesWritten ?? 0) - before));
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    response.write(beginning);
    const writeChunks = (): void => {
      while (!response.destroyed && response.write(more));
    };
    response.on('drain', writeChunks);
    writeChunks();
  };
  return sent;
}

/** Awaits the end of so many answers, each with a bound of so many bytes. */
async function closed(t: Test, sent: readonly number[], count: number, bound: number): Promise<void> {
  while (sent.length < count) await new Promise(setImmediate);
  for (const bytes of sent) {
    t.ok(bytes >= bound, 'what is within the bound is read');
    t.ok(bytes < bound + onTheWay, `the rest is not: ${bytes} bytes`);
  }
}

t.test('a line that does not end, of any provider, ends the attempt and is not asked for again', async t => {
  const receiver = await receiverFor(t);
  for (const [index, provider] of providers.entries()) {
    const sent = flooded(receiver, 200, 'data: {"x":"', Buffer.alloc(64 * 1_024, 'x'));
    const fixture = createModelFixture(receiver.url('/v1'));
    t.match(getFailure(await fixture.ask({ provider })), endless, provider);
    await closed(t, sent, 1, maxStreamBytes);
    t.equal(receiver.received.length, index + 1, 'not tried again');
    t.equal(fixture.clock.pending, 0, 'no timer is left');
  }
});

t.test('an endless response is no answer', async t => {
  const receiver = await receiverFor(t);
  const inlineData = { mimeType: 'image/png', data: Buffer.alloc(mebibyte).toString('base64') };
  const event = { candidates: [{ content: { role: 'model', parts: [{ inlineData }] }, index: 0 }] };
  const sent = flooded(receiver, 200, '', Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  const fixture = createModelFixture(receiver.url('/v1beta'));
  t.match(getFailure(await fixture.ask({ provider: 'llm_provider_3' })), endless);
  await closed(t, sent, 1, maxStreamBytes);
});

t.test('a stream at its size limit is an answer, one byte more fails', async t => {
  const receiver = await receiverFor(t);
  const said = [chunk({ content: 'Hello.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'].join('');
  const padding = (length: number) => `: ${'x'.repeat(length - said.length - 4)}\n\n`;
  for (const [length, ends] of [
    [maxStreamBytes, true],
    [maxStreamBytes + 1, false],
  ] as const) {
    receiver.behaviour = (_request, response) => void response.writeHead(200).end(padding(length) + said);
    const outcome = await createModelFixture(receiver.url('/v1')).ask();
    if (ends) t.equal(answered(outcome).text, 'Hello.');
    else t.match(getFailure(outcome), endless);
  }
});

t.test('an endless error message is reported by its status', async t => {
  const receiver = await receiverFor(t);
  const attempts = 4;
  for (const provider of providers) {
    const before = receiver.received.length;
    const sent = flooded(receiver, 500, '{"error":{"message":"', Buffer.alloc(64 * 1_024, 'x'));
    const fixture = createModelFixture(receiver.url('/v1'));
    const asked = fixture.ask({ provider });
    for (let attempt = 1; attempt < attempts; attempt++) {
      await receiver.arrived(before + attempt);
      await untilTimers(fixture, 1);
      await fixture.clock.advance(10_000);
    }
    t.match(getFailure(await asked), { errorCode: 'provider_error', errorMessage: /it answered 500$/ });
    await closed(t, sent, attempts, mebibyte);
    t.equal(receiver.received.length - before, attempts, 'tried again, as any other');
  }
  for (const [status, errorCode] of [
    [401, 'key_rejected'],
    [302, 'provider_error'],
  ] as const) {
    flooded(receiver, status, '', Buffer.alloc(64 * 1_024, 'x'));
    // No time for a second attempt.
    const fixture = createModelFixture(receiver.url('/v1'));
    const outcome = await fixture.ask({}, { deadline: fixture.clock.now() + 1_000 });
    t.equal(getFailure(outcome).errorCode, errorCode);
  }
});

t.test('an error message at the limit of length is read', async t => {
  const receiver = await receiverFor(t);
  const error = (length: number) => {
    const [before, after] = ['{"error":{"message":"too hot"},"more":"', '"}'];
    return before + 'x'.repeat(length - before.length - after.length) + after;
  };
  receiver.behaviour = answer(400, {}, error(mebibyte));
  t.match(getFailure(await createModelFixture(receiver.url('/v1')).ask()).errorMessage, /too hot$/);
  receiver.behaviour = answer(400, {}, error(mebibyte + 1));
  t.match(getFailure(await createModelFixture(receiver.url('/v1')).ask()).errorMessage, /it answered 400$/);
});
