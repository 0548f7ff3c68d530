/** The sandbox channel that `trigger`, `chat` and `init` work on. */
import type { Channel, Skein } from '../sdk/index.ts';
import { CliError, exitCodes } from './failures.ts';

/** The one that is named, or the oldest. undefined where there is none. */
export async function findSandboxChannel(skein: Skein, channelId?: string): Promise<Channel | undefined> {
  if (channelId !== undefined) return skein.channels.get(channelId);
  const channels = await skein.channels.list().toArray();
  return channels.filter(({ kind }) => kind === 'sandbox').at(-1);
}

/** @throws {CliError} there is none */
export async function getSandboxChannel(skein: Skein, channelId?: string): Promise<string> {
  const channel = await findSandboxChannel(skein, channelId);
  if (channel === undefined) {
    throw new CliError(
      'There is no sandbox channel.',
      exitCodes.failed,
      'Run `skein init`, or: skein api createChannel -f name=Sandbox -f kind=sandbox',
    );
  }
  if (channel.kind !== 'sandbox') {
    throw new CliError(
      `${channel.channelId} is a ${channel.kind} channel, and this is for sandbox channels.`,
      exitCodes.usage,
    );
  }
  return channel.channelId;
}
