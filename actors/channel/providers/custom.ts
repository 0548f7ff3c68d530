/**
 * A custom channel: the customer sends and receives over HTTP. Outbound messages become channel commands, which the
 * owner lists, performs, acknowledges and reports on by receipts. What may be sent when is the owner's concern: there is no window.
 */
import type { ChannelProvider } from './provider.ts';

export const custom: ChannelProvider = {
  kind: 'custom',
  serviceWindow: undefined,
  dispatch: 'request',
  postedByOwner: true,
  simulated: false,
};
