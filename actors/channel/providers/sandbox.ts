/**
 * The sandbox: a channel without a third party, for onboarding and tests. Messages loop back: they count as sent when they are
 * committed, and the rest of their way, and what the participant writes, is simulated over REST.
 *
 * It has the service window of chatapp, so that a flow can be tried before it goes live; but only once the participant wrote, so
 * that a first message needs no template, which the sandbox does not have.
 */
import type { ChannelProvider } from './provider.ts';

export const sandbox: ChannelProvider = {
  kind: 'sandbox',
  serviceWindow: { lengthMs: 24 * 3_600_000, openBeforeFirstInbound: true },
  dispatch: 'accept',
  postedByOwner: true,
  simulated: true,
};
