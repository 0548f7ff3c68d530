/** The checks of readiness, against a provider that behaves as the real one. */
import t, { type Test } from 'tap';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { checkReadiness } from '../../../actors/chatapp/readiness.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';

const callbackUrl = 'https://skein.test/webhook';

/** A number as a connection leaves it, and an approved template. */
async function start(t: Test) {
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const { accounts, templates } = provider;
  const app = accounts.addApp();
  const account = accounts.addAccount();
  const number = accounts.addNumber(account, { status: 'CONNECTED' });
  const token = accounts.addToken(app, account);
  account.subscribers.set(app.id, undefined);
  number.overrides.set(app.id, { url: callbackUrl, verifyToken: '' });
  const template = templates.add(account.id, { name: 'hello' });
  const graph = new Graph({ url: provider.url, version: 'v25.0' });
  /** What is not as it should be: the ids of failed checks, and with a question mark those of warnings. */
  const check = async (more: object = {}): Promise<string[]> => {
    const subject = {
      app: { appId: app.id, appSecret: app.secret },
      appId: app.id,
      as: { token: token.value, appSecret: app.secret },
      wabaId: account.id,
      phoneNumberId: number.id,
      callbackUrl,
      now: Date.now(),
      ...more,
    };
    const checks = await checkReadiness(graph, subject, AbortSignal.timeout(20_000));
    t.equal(new Set(checks.map(({ id }) => id)).size, 19, 'each check once');
    t.ok(
      checks.every(({ ok, reason }) => ok || reason !== undefined),
      'a failed check says what to do',
    );
    return checks
      .filter(({ id, ok, reason }) => !ok || (reason !== undefined && id !== 'payment'))
      .map(({ id, ok }) => (ok ? `${id}?` : id));
  };
  return { provider, accounts, app, account, number, token, template, check };
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

t.test('the token', async t => {
  const { token, check } = await start(t);
  token.expiresAt = inSeconds(6 * 86_400);
  t.same(await check(), ['token_expiry']);
  token.expiresAt = inSeconds(8 * 86_400);
  t.same(await check(), []);
  token.revoked = 463;
  const failed = await check();
  t.ok(['token_valid', 'waba_access', 'phone_belongs', 'waba_subscribed'].every(id => failed.includes(id)));
  t.notOk(failed.includes('app_credential'), 'nothing is wrong with the app');
});

t.test('the app', async t => {
  const { app, check } = await start(t);
  t.same(await check({ app: { appId: app.id, appSecret: 'old' } }), [
    'app_credential',
    'token_valid',
    'token_expiry',
    'scope_messaging',
    'scope_management',
    'webhook_fields',
  ]);
  t.ok((await check({ app: undefined })).includes('app_credential'));
});

t.test('the number', async t => {
  const { number, check } = await start(t);
  for (const [shown, expected] of [
    [{ status: 'PENDING', platform_type: 'NOT_APPLICABLE' }, 'phone_registered'],
    [{ account_mode: 'SANDBOX' }, 'phone_registered'],
    [{ code_verification_status: 'EXPIRED' }, 'code_verified?'],
    [{ name_status: 'DECLINED' }, 'display_name'],
    [{ quality_rating: 'RED' }, 'quality'],
    [{ whatsapp_business_manager_messaging_limit: undefined }, 'messaging_limit?'],
    [{ health_status: { can_send_message: 'BLOCKED' } }, 'health'],
    [{ health_status: { can_send_message: 'LIMITED' } }, 'health?'],
    [{ webhook_configuration: { application: 'https://elsewhere.test' } }, 'webhook_callback'],
  ] as const) {
    Object.assign(number.shown, shown);
    t.same(await check(), [expected], JSON.stringify(shown));
    for (const name of Object.keys(shown)) Reflect.deleteProperty(number.shown, name);
  }
  const errors = [{ error_code: 141_006, error_description: 'No payment method.' }];
  number.shown['health_status'] = {
    can_send_message: 'BLOCKED',
    entities: [{ entity_type: 'WABA', errors }],
  };
  t.same(await check(), ['health', 'payment']);
});

t.test('the account, its templates, and the clock', async t => {
  const { account, app, number, template, check } = await start(t);
  account.subscribers.delete(app.id);
  t.same(await check(), ['waba_subscribed']);
  account.subscribers.set(app.id, undefined);
  template.status = 'PAUSED';
  t.same(await check(), ['template_available']);
  template.status = 'APPROVED';
  t.same(await check({ now: Date.now() - 3_600_000 }), ['clock']);
  account.numbers.splice(account.numbers.indexOf(number), 1);
  t.ok((await check()).includes('phone_belongs'));
});
