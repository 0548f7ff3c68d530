/** What the checks of readiness have in common. */
import type { ChatappReadiness } from '../../protocol/resources/index.ts';
import type { PartnerAppKeys } from './credentials.ts';
import { type GraphCredentials, GraphError } from './graph.ts';

export interface ReadinessSubject {
  /** Undefined: it is not configured any more. */
  readonly app: PartnerAppKeys | undefined;
  readonly appId: string;
  readonly as: GraphCredentials;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  /** The channel's address for webhooks. */
  readonly callbackUrl: string;
  /** Our time, in epoch milliseconds. */
  readonly now: number;
}

export type ReadinessCheck = ChatappReadiness['checks'][number];

/** What each check is called. */
const labels = {
  app_credential: 'The provider accepts the app and its secret',
  token_valid: 'The access token is valid',
  token_expiry: 'The access token lives for more than a week',
  scope_messaging: 'The token may send messages',
  scope_management: 'The token may read the business account',
  waba_access: 'The token reaches the business account',
  phone_belongs: 'The number belongs to the business account',
  phone_registered: 'The number is registered',
  code_verified: 'The number is verified',
  display_name: 'The display name is approved',
  quality: 'The quality of the number is not low',
  messaging_limit: 'The number has a messaging limit',
  health: 'The provider lets the number send',
  payment: 'The account has a way to pay',
  webhook_callback: 'The webhooks of the number come to this channel',
  waba_subscribed: 'The app is subscribed to the business account',
  webhook_fields: 'The app gets the events that are needed',
  template_available: 'A template is approved',
  clock: 'The clocks of provider and service agree',
} as const;
export type CheckId = keyof typeof labels;

const maxReasonLength = 512;

/** @param reason what to do; with `ok` a warning */
export function check(id: CheckId, ok: boolean, reason?: string): ReadinessCheck {
  const said = reason === undefined || reason === '' ? {} : { reason: reason.slice(0, maxReasonLength) };
  return { id, label: labels[id], ok, ...said };
}

/** The reason is for where it is not so. */
export function demand(id: CheckId, ok: boolean, reason: string): ReadinessCheck {
  return ok ? check(id, true) : check(id, false, reason);
}

/** The same, where it is no obstacle. */
export function advise(id: CheckId, isGood: boolean, reason: string): ReadinessCheck {
  return isGood ? check(id, true) : check(id, true, reason);
}

/** Asks one question, whose answer several checks may need. */
export async function ask<Answer>(
  ids: readonly CheckId[],
  question: () => Promise<Answer>,
  judge: (answer: Answer) => readonly ReadinessCheck[],
): Promise<readonly ReadinessCheck[]> {
  let answer: Answer;
  try {
    answer = await question();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return ids.map(id => check(id, false, `The provider does not tell: ${error.message}`));
  }
  return judge(answer);
}
