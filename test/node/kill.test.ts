/** A node that is killed under load, again and again, on the same data: what it acknowledged is there, once, in order. */
import t from 'tap';
import { ConsoleStream } from '../../bench/demo/console-stream.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from './client.ts';
import { checkEvents, checkThreads } from './history.ts';
import { keepsSecrets } from './secrets.ts';
import { Senders } from './senders.ts';
import { newStitch, signUp } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

/** Answers between a start and the next SIGKILL. */
const lives = [60, 1, 25, 90, 3, 40];
const senderCount = 16;

t.test(`${lives.length} times SIGKILL under load`, async t => {
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
    t.ok(senders.unanswered > before, 'requests were under way');
    senders.resume();
    await stream.open();
  }
  await senders.more(senderCount);
  await senders.stop();

  await checkThreads(t, tenant, senders);
  const last = await checkEvents(t, tenant, webhooks);
  await stream.find(({ seq }) => seq === last);
  t.equal(stream.disordered, 0, 'the Console stream resumed where it was, every time');
  t.same(await node.stop(), { code: 0, signal: null });
  t.same(
    node.lines.filter(({ level }) => level >= 50),
    [],
    'no life began or ended with an error',
  );
  keepsSecrets(t, node.output, line);
  t.comment(
    `${senders.acknowledged} answers, ${senders.unanswered} repeated, ${senders.replayed} of them replayed; ` +
      `${webhooks.bodies.size} events, ${webhooks.repeats} delivered again`,
  );
});
