/** The providers by channel kind. */
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import { custom } from './custom.ts';
import type { ChannelProvider } from './provider.ts';
import { sandbox } from './sandbox.ts';

const providers: Readonly<Partial<Record<ChannelKind, ChannelProvider>>> = { sandbox, custom };

/** Undefined for a thread without a channel, and for a kind whose provider this build does not have. */
export function providerOf(kind: ChannelKind | null): ChannelProvider | undefined {
  return kind === null ? undefined : providers[kind];
}
