/** Connecting a number, against a provider that behaves as the real one. */
import t, { type Test } from 'tap';
import {
  type ConnectFailed,
  connectNumber,
  type ConnectRequest,
  disconnectNumber,
} from '../../../actors/chatapp/connect.ts';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { Receiver } from '../../support/receiver.ts';

const signal = (): AbortSignal => AbortSignal.timeout(20_000);

async function start(t: Test) {
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const callback = await Receiver.start();
  t.teardown(() => callback.stop());
  callback.behaviour = ({ path }, response) => {
    response.end(new URL(path, 'http://callback').searchParams.get('hub.challenge'));
  };
  const { accounts } = provider;
  const app = accounts.addApp();
  const account = accounts.addAccount();
  const number = accounts.addNumber(account);
  const token = accounts.addToken(app, account);
  const graph = new Graph({ url: provider.url, version: 'v25.0' });
  const base: ConnectRequest = {
    app: { appId: app.id, appSecret: app.secret },
    callbackUrl: callback.url('/webhook'),
    verifyToken: 'a verify token',
    pin: '123456',
    ownPhoneNumberId: null,
    admit: () => Promise.resolve(),
    noteRegistered: () => undefined,
    isOver: () => Promise.resolve(false),
    sharesAccount: () => Promise.resolve(false),
  };
  const connect = (request: Partial<ConnectRequest>) =>
    connectNumber(graph, { ...base, ...request }, signal());
  const failure = async (request: Partial<ConnectRequest>): Promise<ConnectFailed> =>
    connect(request).then(
      () => Promise.reject(new Error('it was connected')),
      (error: unknown) => error as ConnectFailed,
    );
  return { provider, callback, accounts, app, account, number, token, graph, connect, failure };
}

t.test('by a token: everything is found, registered and directed here', async t => {
  const { account, app, number, token, callback, connect } = await start(t);
  const { number: connected } = await connect({ accessToken: token.value });
  t.same(connected, {
    accessToken: token.value,
    tokenExpiresAt: null,
    wabaId: account.id,
    phoneNumberId: number.id,
    displayPhoneNumber: number.displayPhoneNumber,
    verifiedName: number.verifiedName,
  });
  t.ok(account.subscribers.has(app.id));
  t.same([number.status, number.pin], ['CONNECTED', '123456']);
  t.same(number.overrides.get(app.id), { url: callback.url('/webhook'), verifyToken: 'a verify token' });
});

t.test('by a code, which is exchanged first, and says when its token ends', async t => {
  const { accounts, provider, app, account, connect } = await start(t);
  const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
  const redirectUri = 'https://app.example/back';
  const code = accounts.addCode(accounts.addToken(app, account, { expiresAt }), redirectUri);
  const { number } = await connect({ code, redirectUri });
  t.equal(number.tokenExpiresAt, new Date(expiresAt * 1_000).toISOString());
  t.equal(provider.requests[0], 'GET /oauth/access_token');
});

t.test('account and number have to be named where there are several, and to be reached', async t => {
  const { accounts, app, account, number, token, connect, failure } = await start(t);
  const second = accounts.addNumber(account);
  t.match(await failure({ accessToken: token.value }), { step: 'find_number', message: /has 2/ });
  const { number: connected } = await connect({ accessToken: token.value, phoneNumberId: second.id });
  t.equal(connected.phoneNumberId, second.id);
  const other = accounts.addAccount();
  const foreign = accounts.addNumber(other);
  t.match(await failure({ accessToken: token.value, phoneNumberId: foreign.id }), { step: 'find_number' });
  t.match(await failure({ accessToken: token.value, wabaId: other.id }), { step: 'find_account' });
  const unnamed = accounts.addToken(app, account, { namesTargets: false });
  t.match(await failure({ accessToken: unnamed.value }), { step: 'find_account', message: /wabaId/ });
  const named = { accessToken: unnamed.value, wabaId: account.id, phoneNumberId: number.id };
  t.equal((await connect(named)).number.phoneNumberId, number.id);
  t.match(await failure({ ...named, wabaId: other.id }), { step: 'find_number', code: 100 });
});

t.test('a token that does not do', async t => {
  const { accounts, app, account, token, failure } = await start(t);
  const ofAnother = accounts.addToken(accounts.addApp(), account);
  const narrow = accounts.addToken(app, account, { scopes: ['whatsapp_business_messaging'] });
  t.match(await failure({ accessToken: ofAnother.value }), { step: 'inspect_token', message: /another app/ });
  t.match(await failure({ accessToken: narrow.value }), { step: 'inspect_token', message: /management/ });
  t.match(await failure({ accessToken: 'made up' }), { step: 'inspect_token' });
  token.revoked = 460;
  t.match(await failure({ accessToken: token.value }), { step: 'inspect_token', message: /not valid/ });
  t.match(await failure({ code: 'made up' }), { step: 'exchange_code', code: 100 });
  app.secret = 'another one by now';
  t.match(await failure({ accessToken: token.value }), {
    step: 'inspect_token',
    code: 190,
    message: /^The provider refuses the app: check its id and secret\. /,
  });
});

t.test('half a connection is taken back', async t => {
  const { provider, callback, accounts, app, account, number, token, failure } = await start(t);
  const pinned = accounts.addNumber(account, { pin: '654321' });
  const request = { accessToken: token.value, phoneNumberId: pinned.id };
  t.match(await failure(request), { step: 'register_number', code: 133005 });
  t.notOk(account.subscribers.has(app.id), 'the app is unsubscribed');
  const wanted = { accessToken: token.value, phoneNumberId: number.id };
  callback.behaviour = (_request, response) => void response.writeHead(404).end();
  t.match(await failure(wanted), { step: 'install_callback', code: 100 });
  t.notOk(account.subscribers.has(app.id));
  account.subscribers.set(app.id, undefined);
  t.match(await failure(wanted), { step: 'install_callback' });
  t.ok(account.subscribers.has(app.id), 'what was there before stays');
  const refused = await failure({ ...wanted, admit: () => Promise.reject(new Error('taken')) });
  t.equal(refused.message, 'taken');
  t.equal(provider.requests.at(-1), `GET /${account.id}/phone_numbers`, 'nothing was changed');
});

t.test('what was there before the attempt stays', async t => {
  const { callback, account, app, number, token, connect, failure } = await start(t);
  const ours = { url: callback.url('/webhook'), verifyToken: 'an earlier one' };
  const answers = callback.behaviour;
  await connect({ accessToken: token.value });
  number.overrides.set(app.id, ours);
  callback.behaviour = (_request, response) => void response.writeHead(404).end();
  const again = { accessToken: token.value, ownPhoneNumberId: number.id };
  t.match(await failure(again), { step: 'install_callback' });
  t.same(number.overrides.get(app.id), ours, 'webhooks still come in');
  account.subscribers.delete(app.id);
  t.match(await failure(again), { step: 'install_callback' });
  t.ok(account.subscribers.has(app.id), 'the connection that is there needs it');
  t.match(await failure({ accessToken: token.value }), { step: 'install_callback' });
  t.same(number.overrides.get(app.id), ours, 'what the provider has refused has changed nothing');
  callback.behaviour = answers;
});

t.test('others need what an attempt has made', async t => {
  const { callback, account, app, number, token, connect, failure } = await start(t);
  const shared = { accessToken: token.value, sharesAccount: () => Promise.resolve(true) };
  const answers = callback.behaviour;
  callback.behaviour = (_request, response) => void response.writeHead(404).end();
  t.match(await failure(shared), { step: 'install_callback' });
  t.ok(account.subscribers.has(app.id), 'another channel of the account was connected meanwhile');
  callback.behaviour = answers;
  const { undo } = await connect({ ...shared, isOver: () => Promise.resolve(true) });
  await undo();
  t.ok(number.overrides.has(app.id), 'the channel has begun another attempt meanwhile');
  const { confirm } = await connect(shared);
  account.subscribers.delete(app.id);
  await confirm();
  t.ok(account.subscribers.has(app.id), 'another channel has left meanwhile');
});

t.test('the number is registered from the call on, whatever follows', async t => {
  const { callback, provider, accounts, account, token, failure } = await start(t);
  let noted = 0;
  const noteRegistered = () => void noted++;
  callback.behaviour = (_request, response) => void response.writeHead(404).end();
  const request = (phoneNumberId: string) => ({ accessToken: token.value, phoneNumberId, noteRegistered });
  await failure(request(accounts.addNumber(account).id));
  t.equal(noted, 1);
  await failure(request(accounts.addNumber(account, { pin: '654321' }).id));
  t.equal(noted, 1, 'the provider has refused the PIN');
  await failure(request(accounts.addNumber(account, { status: 'CONNECTED' }).id));
  t.equal(noted, 1, 'it was registered before');
  await failure(request(accounts.addNumber(account, { status: 'FLAGGED', pin: '654321' }).id));
  t.equal(noted, 1, 'and so is one of which the provider warns');
  t.ok(provider.requests.length > 0);
});

t.test('a provider that is ill fails the step, with what it said', async t => {
  const { provider, number, token, failure } = await start(t);
  const request = { accessToken: token.value };
  const { script } = { script: provider.faults.script.bind(provider.faults) };
  script('debug_token', { kind: 'html' });
  t.match(await failure(request), { step: 'inspect_token', code: undefined, message: /502 without JSON/ });
  script('phone_numbers', { kind: 'status', status: 500 });
  t.match(await failure(request), { step: 'find_number', message: /500/ });
  script('register', { kind: 'error', code: 133016 });
  t.match(await failure(request), { step: 'register_number', code: 133016 });
  script(number.id, { kind: 'lost' });
  t.match(await failure(request), { step: 'install_callback', message: /reached/ });
  t.equal(number.overrides.size, 0, 'that it was carried out is taken back');
  t.equal(provider.faults.happened, 4);
});

t.test('disconnecting frees the number, and its account when it was the last one', async t => {
  const { account, app, number, token, graph, connect } = await start(t);
  await connect({ accessToken: token.value });
  const request = {
    as: { token: token.value, appSecret: app.secret },
    wabaId: account.id,
    phoneNumberId: number.id,
  };
  t.equal(await disconnectNumber(graph, { ...request, isLastOfAccount: false }, signal()), undefined);
  t.same([number.overrides.size, account.subscribers.size], [0, 1]);
  t.equal(await disconnectNumber(graph, { ...request, isLastOfAccount: true }, signal()), undefined);
  t.equal(account.subscribers.size, 0);
  token.revoked = 460;
  t.match(await disconnectNumber(graph, { ...request, isLastOfAccount: true }, signal()), { code: 190 });
});
