/** The token of a tab: renewed when it is wanted, once at a time, and given up when the server gives no other. */
import t from 'tap';
import { readUserId, Session } from '../../../clients/kit/session.ts';
import { SignOutLoss, type TabChannel } from '../../../clients/kit/sign-out-loss.ts';

function createSession(tokens: (string | undefined)[], end: 'expired' | 'noWorkspace' = 'expired') {
  const state = { now: 0, refreshes: 0 };
  const session = new Session({
    now: () => state.now,
    async refresh() {
      state.refreshes++;
      const accessToken = tokens.shift();
      return accessToken === undefined ? end : { accessToken, expiresIn: 900 };
    },
    exclusively: work => work(),
  });
  const ends: string[] = [];
  session.onEnd(end => ends.push(end));
  return { session, state, ends };
}

/** A server that takes one token, and notes the tokens that came. */
function serve(good: string) {
  const came: (string | null)[] = [];
  const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
    const token = new Headers(init.headers).get('authorization');
    came.push(token);
    return new Response(null, { status: token === `Bearer ${good}` ? 200 : 401 });
  };
  return { fetch, came };
}
const withToken = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

t.test('renews a token before its end, once for all who ask', async t => {
  const { session, state } = createSession(['one', 'two']);
  t.strictSame(await Promise.all([session.getToken(), session.getToken()]), ['one', 'one']);
  state.now = 869_000;
  t.equal(await session.getToken(), 'one');
  state.now = 870_000;
  t.equal(await session.getToken(), 'two');
  t.equal(state.refreshes, 2);
});

t.test('a password that is refused is not tried again with another token', async t => {
  const { session, ends } = createSession(['one', 'two']);
  await session.getToken();
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    asked++;
    return Response.json({ error: 'svc/auth/invalid_credentials' }, { status: 401 });
  };
  const answer = await session.ask(fetch, '/v1/studio/auth/change-password', withToken('one'));
  t.strictSame(await answer.json(), { error: 'svc/auth/invalid_credentials' });
  t.equal(asked, 1);
  t.strictSame(ends, []);
});

t.test('a token that is refused before its time is renewed, and the request sent again', async t => {
  const { session, ends } = createSession(['one', 'two']);
  await session.getToken();
  const { fetch, came } = serve('two');
  t.equal((await session.ask(fetch, '/v1/threads', withToken('one'))).status, 200);
  t.strictSame(came, ['Bearer one', 'Bearer two']);
  t.strictSame(ends, []);
});

t.test('where there is no other token the session ends, once, and the refusal is the answer', async t => {
  const { session, ends } = createSession(['one']);
  await session.getToken();
  const { fetch, came } = serve('two');
  t.equal((await session.ask(fetch, '/v1/threads', withToken('one'))).status, 401);
  t.equal((await session.ask(fetch, '/v1/threads', withToken('one'))).status, 401);
  t.equal(came.length, 2);
  t.strictSame(ends, ['expired']);
});

t.test('nobody who was not signed in is signed out', async t => {
  const { session, ends } = createSession([undefined]);
  t.equal(await session.getToken(), undefined);
  t.strictSame(ends, []);
});

t.test('says why there is no token, until somebody signs in again', async t => {
  const { session, ends } = createSession(['one'], 'noWorkspace');
  t.equal(session.lastEnd, undefined);
  await session.getToken();
  const { fetch } = serve('two');
  await session.ask(fetch, '/v1/projects', withToken('one'));
  t.strictSame(ends, ['noWorkspace']);
  t.equal(session.lastEnd, 'noWorkspace');
  let starts = 0;
  session.onStart(() => starts++);
  session.take({ accessToken: 'two', expiresIn: 900 });
  t.equal(session.lastEnd, undefined);
  t.equal(starts, 1);
  session.take({ accessToken: 'three', expiresIn: 900 });
  t.equal(starts, 1, 'it had not ended');
});

t.test('a token says whose it is', async t => {
  const payload = Buffer.from('{"sub":"user_ü~1"}'.replace('ü', '>')).toString('base64url');
  t.equal(readUserId(`head.${payload}.signature`), 'user_>~1');
  for (const other of [
    '',
    'a.b.c',
    `a.${Buffer.from('[1]').toString('base64url')}.c`,
    `a.${Buffer.from('{"sub":1}').toString('base64url')}.c`,
  ]) {
    t.equal(readUserId(other), undefined, other);
  }
});

/** Tabs of one browser, and the time that an answer may take. */
function openTabs(count: number) {
  const due = new Set<() => void>();
  const schedule = (work: () => void): (() => void) => {
    due.add(work);
    return () => due.delete(work);
  };
  const name = `tabs ${count}`;
  const channels = Array.from({ length: count }, () => new BroadcastChannel(name));
  t.teardown(() => {
    for (const channel of channels) channel.close();
  });
  const tabs = channels.map(channel => new SignOutLoss(channel as unknown as TabChannel, schedule));
  return { tabs, due };
}

t.test('whoever signs out is told what another tab would lose, in the words of that tab', async t => {
  const { tabs, due } = openTabs(3);
  const [asks, silent, other] = tabs as [SignOutLoss, SignOutLoss, SignOutLoss];
  asks.answer(() => 'what the tab itself would lose');
  silent.answer(() => undefined);
  const stop = other.answer(() => 'A message waits.');
  t.equal(await asks.askOthers(), 'A message waits.');
  t.equal(due.size, 0, 'nobody waits any longer');
  stop();
  const nothing = asks.askOthers();
  for (const work of due) work();
  t.equal(await nothing, undefined);
});
