/** A node that is killed under load, again and again, on the same data. */
import type { Test } from 'tap';
import { ConsoleStream } from '../../bench/demo/console-stream.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from './client.ts';
import { checkEvents, checkThreads } from './history.ts';
import { keepsSecrets } from './secrets.ts';
import { Senders } from './senders.ts';
import { newStitch, signUp } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

const senderCount = 16;

/**
 * Asserts that every acknowledged message is stored once and in order, delivered to the webhook and shown in the Console.
 *
 * @param lives number of answers between a start and the next SIGKILL, for each kill
 */
export async function killUnderLoad(t: Test, lives: readonly number[]): Promise<void> {
  const node = await NodeProcess.make(t);
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;

  const stream = new ConsoleStream(node.url, tenant.projectId, tenant.person.bearer ?? '');
  await stream.open();
  t.teardown(() => stream.close());

  const senders = new Senders(tenant, senderCount);
  for (const answers of lives) {
    await senders.more(answers);
    const before = senders.unanswered;
    senders.hold();
    await node.kill();
    await node.start();
    t.ok(senders.unanswered > before, 'requests were in flight');
    senders.resume();
    await stream.open();
  }
  await senders.more(senderCount);
  await senders.stop();

  await checkThreads(t, tenant, senders);
  const last = await checkEvents(t, tenant, webhooks);
  await stream.find(({ seq }) => seq === last);
  t.equal(stream.disordered, 0, 'the Console stream resumed without a gap or a repetition');
  t.same(await node.stop(), { code: 0, signal: null });
  t.same(
    node.lines.filter(({ level }) => level >= 50),
    [],
    'no start and no end logged an error',
  );
  keepsSecrets(t, node.output, line);
  t.comment(
    `${senders.acknowledged} answers, ${senders.unanswered} repeated, ${senders.replayed} of them replayed; ` +
      `${webhooks.bodies.size} events, ${webhooks.repeats} delivered again`,
  );
}
