/**
 * Time, and work over time: clocks and randomness as interfaces, pauses and time limits by them, the waits between retries, and
 * batches of the requests of one turn of the event loop. Everything above takes its `Clock` and `Random` as options, so that a
 * simulation can own both.
 */
export { Backoff, backoffMs } from './backoff.ts';
export { BatchLoader, TurnBatch } from './batch.ts';
export { type Clock, keepAliveClock, type Random, systemClock, systemRandom, type Timer } from './clock.ts';
export { completesWithin, pause, withTimeout } from './pause.ts';
