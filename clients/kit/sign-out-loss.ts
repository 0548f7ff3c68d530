/**
 * What would be lost by signing out, here or in another tab of the browser: a session ends in all of them at once. Each tab that would lose
 * something says so in its own words.
 */

type Told = { readonly asks: true } | { readonly loss: string };
type TakeTold = (event: { readonly data: Told }) => void;

/** The channel between the tabs: what is used of the browser's, or of that of a test. */
export interface TabChannel {
  postMessage(told: Told): void;
  addEventListener(type: 'message', take: TakeTold): void;
  removeEventListener(type: 'message', take: TakeTold): void;
}

/** Tabs answer within so many milliseconds, also those in the background. */
const answerMs = 700;

export class SignOutLoss {
  readonly #channel: TabChannel;
  readonly #schedule: (work: () => void, ms: number) => () => void;

  constructor(channel: TabChannel, schedule: (work: () => void, ms: number) => () => void) {
    this.#channel = channel;
    this.#schedule = schedule;
  }

  /** Answers the other tabs. @param find what this one would lose, in words; undefined: nothing. Returns what ends it. */
  answer(find: () => string | undefined): () => void {
    const take: TakeTold = ({ data }) => {
      const loss = 'asks' in data ? find() : undefined;
      if (loss !== undefined) this.#channel.postMessage({ loss });
    };
    this.#channel.addEventListener('message', take);
    return () => this.#channel.removeEventListener('message', take);
  }

  /** What another tab would lose; undefined: none says that it would lose anything. */
  askOthers(): Promise<string | undefined> {
    return new Promise(resolve => {
      const end = (loss?: string): void => {
        cancel();
        this.#channel.removeEventListener('message', take);
        resolve(loss);
      };
      const take: TakeTold = ({ data }) => {
        if ('loss' in data) end(data.loss);
      };
      const cancel = this.#schedule(end, answerMs);
      this.#channel.addEventListener('message', take);
      this.#channel.postMessage({ asks: true });
    });
  }
}
