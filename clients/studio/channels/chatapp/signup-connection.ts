/**
 * Connects the channel with what the provider has sent, once: a code is of use once, whatever becomes of the page or of the network. Where
 * the answer does not come, the status of the channel tells what became of it.
 */
import { createOperatorClient } from '../../../kit/browser-session.ts';
import { ApiError, ConnectionError, TimeoutError, type Skein } from '../../../sdk/index.ts';
import { getRedirectUri, type SignupFlow } from './signup.ts';

/** Milliseconds between two looks at the status, while it cannot be read either. */
const lookMs = 1_500;
const maxLooks = 20;

let begun: Promise<void> | undefined;

export const isConnecting = (): boolean => begun !== undefined;

/** Resolves when the page of the channel tells the rest. Rejects where the channel was not connected. */
export function connectOnce(code: string, pin: string, flow: SignupFlow): Promise<void> {
  return (begun ??= connect(code, pin, flow));
}

async function connect(code: string, pin: string, flow: SignupFlow): Promise<void> {
  const { projectId, environmentId, channelId, partnerAppCredentialId, wabaId, phoneNumberId } = flow;
  const { chatapp } = createOperatorClient({ projectId, environmentId });
  const named = { partnerAppCredentialId, wabaId, phoneNumberId };
  const given = { code, redirectUri: getRedirectUri(), ...named, ...(pin && { pin }) };
  try {
    await chatapp.connect(channelId, given);
  } catch (error) {
    if (!isUnclear(error) || (await isNotConnected(chatapp, channelId))) throw error;
  }
}

/** False as well where it is being connected, or cannot be known: the page of the channel goes on asking. */
async function isNotConnected(chatapp: Skein['chatapp'], channelId: string): Promise<boolean> {
  for (let looks = 0; looks < maxLooks; looks++) {
    try {
      const { status } = await chatapp.getStatus(channelId);
      return status !== 'connected' && status !== 'connecting';
    } catch (error) {
      if (!isUnclear(error)) return false;
    }
    await new Promise(resolve => setTimeout(resolve, lookMs));
  }
  return false;
}

/** Whether the server may have done it all the same: nothing came back, a proxy gave up, or the first try is still at work. */
function isUnclear(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof ConnectionError || error instanceof TimeoutError;
  return error.status >= 500 || error.code === 'svc/runtime/idempotency_conflict';
}
