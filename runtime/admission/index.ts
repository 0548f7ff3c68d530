/** Who may work now, of many that share something. */
export { FairSemaphore } from './fair-semaphore.ts';
