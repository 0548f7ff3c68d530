/** When a page that can have no stream asks the server, and when it says that it does so. */
import t, { type Test } from 'tap';
import { pollWithoutStream } from '../../../../clients/console/live/polling.ts';
import type { StreamState } from '../../../../clients/console/live/project-stream.ts';

const online: StreamState = { is: 'online' };
const waiting: StreamState = { is: 'waiting', retryAt: 0 };

/** A page whose timers run when they are told to, and a server that answers or does not. */
function setUp(t: Test) {
  let state: StreamState = { is: 'connecting' };
  let tell: () => void = () => undefined;
  let comeToFront: () => void = () => undefined;
  let timer: { readonly work: () => void; readonly ms: number } | undefined;
  let asked = 0;
  const told: (boolean | 'ended')[] = [];
  const page = { answers: true, isSeen: true };
  const stop = pollWithoutStream(
    {
      getState: () => state,
      onState(listener) {
        tell = listener;
        return () => (tell = () => undefined);
      },
      poll: isLasting => void told.push(isLasting),
      endPolling: () => void told.push('ended'),
    },
    {
      async ask() {
        asked++;
        if (!page.answers) throw new Error('unreachable');
      },
      isSeen: () => page.isSeen,
      onSeen(listener) {
        comeToFront = listener;
        return () => (comeToFront = () => undefined);
      },
      schedule(work, ms) {
        const scheduled = (timer = { work, ms });
        return () => {
          if (timer === scheduled) timer = undefined;
        };
      },
    },
  );
  t.teardown(stop);
  return {
    page,
    told,
    stop,
    countAsked: () => asked,
    getWait: () => timer?.ms,
    setState(next: StreamState): void {
      state = next;
      tell();
    },
    show(): void {
      page.isSeen = true;
      comeToFront();
    },
    /** Until the answer has been taken. */
    async run(): Promise<void> {
      const { work } = timer ?? {};
      timer = undefined;
      work?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

t.test('a page that never gets a stream reads again, and says so from the second answer on', async t => {
  const { told, run, getWait } = setUp(t);
  t.equal(getWait(), 5_000);
  await run();
  t.equal(getWait(), 10_000);
  await run();
  await run();
  t.strictSame(told, [false, true, true]);
});

t.test('a connection that is there, or comes back soon, asks for nothing', async t => {
  const { told, run, setState, getWait, countAsked } = setUp(t);
  setState(online);
  t.equal(getWait(), undefined);
  setState(waiting);
  t.equal(getWait(), 5_000);
  setState(waiting);
  setState(online);
  await run();
  t.equal(countAsked(), 0);
  t.strictSame(told, []);
});

t.test('a server that does not answer either is not said to', async t => {
  const { page, told, run, getWait } = setUp(t);
  await run();
  await run();
  page.answers = false;
  await run();
  page.answers = true;
  await run();
  t.strictSame(told, [false, true, 'ended', false]);
  t.equal(getWait(), 10_000, 'and is asked on');
});

t.test('an answer that comes after the connection says nothing', async t => {
  const { told, run, setState, getWait } = setUp(t);
  const answered = run();
  setState(online);
  await answered;
  t.strictSame(told, []);
  t.equal(getWait(), undefined);
});

t.test('nobody is asked for a page that nobody sees, that is over, or whose stream was refused', async t => {
  const { page, run, stop, setState, getWait, countAsked } = setUp(t);
  page.isSeen = false;
  await run();
  t.equal(countAsked(), 0);
  t.equal(getWait(), 10_000);
  setState({ is: 'ended', error: undefined });
  t.equal(getWait(), undefined);
  setState(waiting);
  t.equal(getWait(), 5_000);
  stop();
  t.equal(getWait(), undefined);
});

t.test('what was not asked while nobody saw the page is asked when somebody does, once', async t => {
  const { page, told, run, show, stop, getWait, countAsked } = setUp(t);
  show();
  t.equal(getWait(), 5_000, 'a connection may be back soon');
  page.isSeen = false;
  await run();
  await run();
  t.equal(getWait(), 10_000);
  show();
  t.equal(getWait(), 0);
  const answered = run();
  // While it is on its way.
  show();
  t.equal(getWait(), undefined);
  await answered;
  show();
  t.equal(getWait(), 10_000);
  t.equal(countAsked(), 1);
  t.strictSame(told, [false]);
  page.isSeen = false;
  await run();
  stop();
  show();
  t.equal(getWait(), undefined);
});
