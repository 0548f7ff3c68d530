/** How much is asked of the cluster, and for how long it is in trouble. Each seed has one of them; `--load` gives all the same. */
import type { Random } from '../../runtime/time/clock.ts';
import { conversations } from './conversation.ts';

export interface Load {
  /** Milliseconds between two wishes of a client at most. */
  readonly maxThinkMs: number;
  /** Of all wishes those that are several posts at once, and how many posts. */
  readonly burstShare: number;
  readonly burstSize: number;
  /** Conversations that are posted to. */
  readonly conversations: readonly string[];
  /** How long receivers of webhooks are in trouble, in milliseconds. */
  readonly troubleMs: (random: Random) => number;
  /** How long the faults go on, in milliseconds. */
  readonly minChaosMs: number;
  readonly maxChaosMs: number;
}

const usual: Load = {
  maxThinkMs: 260,
  burstShare: 0.07,
  burstSize: 6,
  conversations,
  troubleMs: random => 1_000 + random.next() ** 2 * 9_000,
  minChaosMs: 6_000,
  maxChaosMs: 14_000,
};

export const loads = {
  usual,
  /**
   * Few threads, and much in each of them: a receiver that is in trouble for some seconds leaves more deliveries of a thread behind than a
   * page of it has, and more of a stitch than it takes into memory. What is behind is read while the next trouble comes.
   */
  behind: {
    ...usual,
    burstShare: 0.3,
    burstSize: 12,
    conversations: conversations.slice(0, 4),
    troubleMs: random => 500 + random.next() ** 2 * 6_000,
    minChaosMs: 8_000,
    maxChaosMs: 16_000,
  },
  /** Little, for minutes: receivers are away for longer than a text that was read may be used. */
  long: {
    ...usual,
    maxThinkMs: 4_000,
    troubleMs: random => 20_000 + random.next() * 100_000,
    minChaosMs: 60_000,
    maxChaosMs: 180_000,
  },
} as const satisfies Readonly<Record<string, Load>>;

export type LoadName = keyof typeof loads;

export function isLoad(name: string): name is LoadName {
  return Object.hasOwn(loads, name);
}

export function pickLoad(random: Random): LoadName {
  const dice = random.next();
  if (dice < 0.75) return 'usual';
  return dice < 0.93 ? 'behind' : 'long';
}
