/**
 * Whether a connected number can send and receive: what the provider says of the token, the account, the number, the webhooks and the
 * templates. Each question is asked by itself, and one that is not answered fails its own checks only.
 */
import {
  inspectToken,
  listSubscribedApps,
  managementScope,
  messagingScope,
  type TokenFacts,
} from './credentials.ts';
import { type Graph, readList, readText } from './graph.ts';
import { checkNumber } from './number-readiness.ts';
import {
  advise,
  ask,
  check,
  type CheckId,
  demand,
  type ReadinessCheck,
  type ReadinessSubject,
} from './readiness-checks.ts';
import { listTemplates } from './templates.ts';

/** Never rejects for what the provider says, or does not say. */
export async function checkReadiness(
  graph: Graph,
  subject: ReadinessSubject,
  signal: AbortSignal,
): Promise<ReadinessCheck[]> {
  const groups = await Promise.all([
    checkApp(graph, subject, signal),
    checkToken(graph, subject, signal),
    checkAccount(graph, subject, signal),
    checkNumber(graph, subject, signal),
    checkSubscription(graph, subject, signal),
    checkFields(graph, subject, signal),
    checkTemplates(graph, subject, signal),
    checkClock(graph, subject, signal),
  ]);
  return groups.flat();
}

const noApp = 'The app is gone: connect the channel with another one.';

async function checkApp(
  graph: Graph,
  { app }: ReadinessSubject,
  signal: AbortSignal,
): Promise<readonly ReadinessCheck[]> {
  if (app === undefined) return [check('app_credential', false, noApp)];
  const as = { token: `${app.appId}|${app.appSecret}` };
  return ask(
    ['app_credential'],
    () => graph.call({ path: encodeURIComponent(app.appId), as }, signal),
    () => [check('app_credential', true)],
  );
}

const tokenChecks = ['token_valid', 'token_expiry', 'scope_messaging', 'scope_management'] as const;

async function checkToken(
  graph: Graph,
  { app, as, now }: ReadinessSubject,
  signal: AbortSignal,
): Promise<readonly ReadinessCheck[]> {
  if (app === undefined) return tokenChecks.map(id => check(id, false, noApp));
  return ask(
    tokenChecks,
    () => inspectToken(graph, app, as.token, signal),
    token => [
      demand(
        'token_valid',
        token.isValid === true && token.appId === app.appId,
        `Connect the channel again, with a new token. ${token.refusal}`.trim(),
      ),
      checkExpiry(token, now),
      checkScope('scope_messaging', token, messagingScope),
      checkScope('scope_management', token, managementScope),
    ],
  );
}

const weekMs = 7 * 86_400_000;

function checkExpiry({ expiresAt, dataAccessExpiresAt }: TokenFacts, now: number): ReadinessCheck {
  const ends = [expiresAt, dataAccessExpiresAt].filter(end => end !== null).sort();
  const [first] = ends;
  if (first === undefined || Date.parse(first) - now > weekMs) return check('token_expiry', true);
  return check('token_expiry', false, `It ends at ${first}: connect the channel again, with a new token.`);
}

function checkScope(id: CheckId, { scopes }: TokenFacts, scope: string): ReadinessCheck {
  return demand(id, scopes.includes(scope), `Connect the channel with a token that has ${scope}.`);
}

function checkAccount(graph: Graph, { as, wabaId }: ReadinessSubject, signal: AbortSignal) {
  const query = { fields: 'id,name,account_review_status' };
  return ask(
    ['waba_access'],
    () => graph.call({ path: encodeURIComponent(wabaId), as, query }, signal),
    account => [
      advise(
        'waba_access',
        ['', 'APPROVED'].includes(readText(account, 'account_review_status')),
        `The provider reviews the account: ${readText(account, 'account_review_status')}.`,
      ),
    ],
  );
}

function checkSubscription(graph: Graph, { as, appId, wabaId }: ReadinessSubject, signal: AbortSignal) {
  return ask(
    ['waba_subscribed'],
    () => listSubscribedApps(graph, as, wabaId, signal),
    apps => [demand('waba_subscribed', apps.includes(appId), 'Connect the channel again.')],
  );
}

/** The second ones report what happens to templates and to the account; without them the channel learns of it later. */
const neededFields = ['messages'];
const usefulFields = ['message_template_status_update', 'account_update'];

async function checkFields(
  graph: Graph,
  { app }: ReadinessSubject,
  signal: AbortSignal,
): Promise<readonly ReadinessCheck[]> {
  if (app === undefined) return [check('webhook_fields', false, noApp)];
  const as = { token: `${app.appId}|${app.appSecret}` };
  return ask(
    ['webhook_fields'],
    () => graph.call({ path: `${encodeURIComponent(app.appId)}/subscriptions`, as }, signal),
    answer => {
      const names = readList(answer, 'data')
        .filter(each => readText(each, 'object') === 'whatsapp_business_account')
        .flatMap(each => readList(each, 'fields').map(field => readText(field, 'name')));
      const listMissing = (wanted: readonly string[]) => wanted.filter(name => !names.includes(name));
      const advice = `Subscribe the app to ${listMissing([...neededFields, ...usefulFields]).join(', ')}, in its settings at the provider.`;
      if (listMissing(neededFields).length > 0) return [check('webhook_fields', false, advice)];
      return [advise('webhook_fields', listMissing(usefulFields).length === 0, advice)];
    },
  );
}

function checkTemplates(graph: Graph, { as, wabaId }: ReadinessSubject, signal: AbortSignal) {
  return ask(
    ['template_available'],
    () => listTemplates(graph, as, { wabaId, status: 'APPROVED', limit: 1 }, signal),
    ({ templates }) => [
      demand(
        'template_available',
        templates.length > 0,
        'Have a template approved: without one nothing can be sent while the service window is closed.',
      ),
    ],
  );
}

const maxClockDifferenceMs = 60_000;

/** What the provider sends with a wrong clock opens service windows too early or too late. */
function checkClock(graph: Graph, { now }: ReadinessSubject, signal: AbortSignal) {
  return ask(
    ['clock'],
    () => graph.readTime(signal),
    time => [
      demand(
        'clock',
        time === undefined || Math.abs(time - now) < maxClockDifferenceMs,
        'Set the clock of the database server, which is that of the service.',
      ),
    ],
  );
}
