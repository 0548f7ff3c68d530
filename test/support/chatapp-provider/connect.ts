/** Tokens, business accounts, numbers: what is asked when a channel is connected, and when it is disconnected. */
import { randomBytes } from 'node:crypto';
import {
  type Account,
  type Accounts,
  type App,
  type Callback,
  managementScope,
  type PhoneNumber,
  type Token,
} from './accounts.ts';
import { noSuchObject, ProviderError } from './errors.ts';
import { type ProviderAnswer, type ProviderRequest, readFields, readText, type Route } from './requests.ts';

const success: ProviderAnswer = { body: { success: true } };

/** Registrations of a number in 72 hours. */
const maxRegistrations = 10;
const registrationWindowMs = 72 * 3_600_000;
const renewedSeconds = 5_183_944;

export function connectRoutes(accounts: Accounts, now: () => number): Route {
  return request => {
    const [first = '', second] = request.path;
    if (first === 'oauth' && second === 'access_token') return exchange(accounts, now, request);
    if (first === 'debug_token') return inspect(accounts, request);
    if (second === 'subscriptions') return listFields(accounts, first, request);
    if (second === 'phone_numbers' || second === 'subscribed_apps') {
      const token = accounts.requireToken(request.token, managementScope);
      const account = accounts.requireAccount(token, first);
      return second === 'phone_numbers'
        ? { body: { data: account.numbers.map(number => showNumber(number, token)), paging: {} } }
        : subscribe(account, token, request);
    }
    const number = accounts.findNumber(first);
    if (second === 'register' || second === 'deregister') return register(accounts, now, first, request);
    if (second === undefined && number !== undefined) return changeNumber(accounts, first, request);
    if (second === undefined && accounts.findAccount(first) !== undefined)
      return showAccount(accounts, request);
    if (second === undefined && accounts.findApp(first) !== undefined) return showApp(accounts, request);
    return undefined;
  };
}

/** A code, or a token that is renewed, for a token. */
function exchange(accounts: Accounts, now: () => number, { query }: ProviderRequest): ProviderAnswer {
  const app = accounts.requireApp(query.get('client_id') ?? '', query.get('client_secret') ?? '');
  if (query.get('grant_type') === 'fb_exchange_token') {
    const token = accounts.findToken(query.get('fb_exchange_token') ?? '');
    if (token === undefined || token.appId !== app.id || accounts.findTokenFault(token) !== undefined) {
      throw new ProviderError(190, { subcode: 463 });
    }
    token.expiresAt = Math.floor(now() / 1_000) + renewedSeconds;
    return { body: { access_token: token.value, token_type: 'bearer', expires_in: renewedSeconds } };
  }
  const token = accounts.takeCode(app, query.get('code') ?? '', query.get('redirect_uri') ?? undefined);
  return { body: { access_token: token.value, token_type: 'bearer' } };
}

function requireAppToken(accounts: Accounts, { token = '' }: ProviderRequest): App {
  const [id = '', secret = ''] = token.split('|');
  const app = accounts.findApp(id);
  if (app === undefined || app.secret !== secret) throw new ProviderError(190);
  return app;
}

function inspect(accounts: Accounts, request: ProviderRequest): ProviderAnswer {
  const app = requireAppToken(accounts, request);
  const token = accounts.findToken(request.query.get('input_token') ?? '');
  if (token === undefined) {
    const error = { code: 190, message: 'Malformed access token' };
    return { body: { data: { error, is_valid: false, scopes: [] } } };
  }
  if (token.appId !== app.id) {
    // Of another app's token it says no more than whose it is.
    const error = { code: 100, message: 'The App_id in the input_token did not match the Viewing App' };
    return { body: { data: { error, is_valid: false, app_id: token.appId, scopes: [] } } };
  }
  const fault = accounts.findTokenFault(token);
  const targets = token.namesTargets ? { target_ids: token.accountIds } : {};
  const data = {
    app_id: token.appId,
    type: token.type,
    application: 'Partner app',
    is_valid: fault === undefined,
    expires_at: token.expiresAt,
    data_access_expires_at: 0,
    scopes: token.scopes,
    granular_scopes: token.scopes.map(scope => ({ scope, ...targets })),
    user_id: '122100000000000000',
    ...(fault === undefined
      ? {}
      : { error: { code: 190, message: 'Error validating access token', subcode: fault } }),
  };
  return { body: { data } };
}

function listFields(accounts: Accounts, appId: string, request: ProviderRequest): ProviderAnswer {
  const app = requireAppToken(accounts, request);
  if (app.id !== appId) throw noSuchObject(appId);
  const names = [
    'messages',
    'message_template_status_update',
    'account_update',
    'phone_number_quality_update',
  ];
  const fields = names.map(name => ({ name, version: 'v25.0' }));
  const url = app.callback?.url ?? '';
  const object = 'whatsapp_business_account';
  return { body: { data: [{ object, callback_url: url, active: true, fields }] } };
}

function showApp(accounts: Accounts, request: ProviderRequest): ProviderAnswer {
  const { id } = requireAppToken(accounts, request);
  return { body: { id, name: 'Partner app', link: 'https://partner.example' } };
}

function showAccount(accounts: Accounts, request: ProviderRequest): ProviderAnswer {
  const token = accounts.requireToken(request.token, managementScope);
  const { id } = accounts.requireAccount(token, request.path[0] ?? '');
  return { body: { id, name: `Account ${id}`, currency: 'EUR', timezone_id: '1' } };
}

/** As the app of the token sees it. */
function showNumber(number: PhoneNumber, { appId }: Token): object {
  const override = number.overrides.get(appId);
  return {
    id: number.id,
    display_phone_number: number.displayPhoneNumber,
    verified_name: number.verifiedName,
    quality_rating: 'GREEN',
    code_verification_status: 'VERIFIED',
    name_status: 'APPROVED',
    status: number.status,
    platform_type:
      number.status === 'CONNECTED' || number.status === 'FLAGGED' ? 'CLOUD_API' : 'NOT_APPLICABLE',
    account_mode: 'LIVE',
    throughput: { level: 'STANDARD' },
    is_pin_enabled: number.pin !== undefined,
    webhook_configuration: override === undefined ? {} : { phone_number: override.url },
    health_status: { can_send_message: 'AVAILABLE', entities: [] },
    whatsapp_business_manager_messaging_limit: 'TIER_250',
    ...number.shown,
  };
}

async function subscribe(account: Account, token: Token, request: ProviderRequest): Promise<ProviderAnswer> {
  const { subscribers } = account;
  switch (request.method) {
    case 'GET': {
      const data = [...subscribers].map(([id, override]) => ({
        whatsapp_business_api_data: { id, name: 'Partner app', link: 'https://partner.example' },
        ...(override === undefined ? {} : { override_callback_uri: override.url }),
      }));
      return { body: { data } };
    }
    case 'POST': {
      const override = readCallback(readFields(request));
      if (override !== undefined) await challenge(override);
      subscribers.set(token.appId, override);
      return success;
    }
    default: {
      if (!subscribers.delete(token.appId)) throw noSuchObject(account.id);
      for (const number of account.numbers) number.overrides.delete(token.appId);
      return success;
    }
  }
}

function register(
  accounts: Accounts,
  now: () => number,
  id: string,
  request: ProviderRequest,
): ProviderAnswer {
  const token = accounts.requireToken(request.token, managementScope);
  const number = accounts.requireNumber(token, id);
  if (request.path[1] === 'deregister') {
    if (number.status !== 'CONNECTED') throw new ProviderError(133010);
    number.status = 'PENDING';
    return success;
  }
  const fields = readFields(request);
  const pin = readText(fields, 'pin');
  if (readText(fields, 'messaging_product') !== 'whatsapp') throw new ProviderError(131008);
  if (!/^\d{6}$/.test(pin)) throw new ProviderError(100, { details: 'The PIN must have 6 digits' });
  const recent = number.registrations.filter(at => at > now() - registrationWindowMs);
  if (recent.length >= maxRegistrations) throw new ProviderError(133016);
  number.registrations.push(now());
  if (number.pin !== undefined && number.pin !== pin) throw new ProviderError(133005);
  number.pin = pin;
  number.status = 'CONNECTED';
  return success;
}

/** Reads a number, or changes where its events go. */
async function changeNumber(
  accounts: Accounts,
  id: string,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  const token = accounts.requireToken(request.token, managementScope);
  const number = accounts.requireNumber(token, id);
  if (request.method !== 'POST') return { body: showNumber(number, token) };
  const configuration = readFields(request)['webhook_configuration'] as Record<string, unknown>;
  const override = readCallback(configuration);
  if (override === undefined) {
    number.overrides.delete(token.appId);
    return success;
  }
  await challenge(override);
  number.overrides.set(token.appId, override);
  return success;
}

function readCallback(fields: Readonly<Record<string, unknown>>): Callback | undefined {
  const url = readText(fields, 'override_callback_uri');
  return url === '' ? undefined : { url, verifyToken: readText(fields, 'verify_token') };
}

/** Asks a callback whether it is meant: it has to answer 200 with the challenge, and nothing else. */
export async function challenge({ url, verifyToken }: Callback): Promise<void> {
  const expected = String(1_000_000_000 + (randomBytes(4).readUInt32BE() % 1_000_000_000));
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.challenge': expected,
    'hub.verify_token': verifyToken,
  });
  const answer = await fetch(`${url}?${query}`, { redirect: 'error' }).catch(() => undefined);
  if (answer?.status === 200 && (await answer.text()) === expected) return;
  const details = 'The URL could not be validated. Callback verification failed';
  throw new ProviderError(100, { subcode: 2_200, details });
}
