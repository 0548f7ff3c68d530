/** What crosses between the node's thread and the one that asks models: plain data, cloned. */
import type { ByokCredential } from '../../../protocol/resources/byok.ts';
import type { StepOrder } from '../orders.ts';
import type { ModelOutcome } from '../outcome.ts';
import type { Plan } from '../services.ts';
import type { ModelUrls } from './urls.ts';

/** What the thread is started with. */
export interface ModelThreadData {
  readonly urls: ModelUrls;
}

/** To the thread. `leftMs`: until the order's deadline. */
export type ToModelThread =
  | {
      readonly do: 'ask';
      readonly id: number;
      readonly plan: Plan;
      readonly order: StepOrder;
      readonly leftMs: number;
    }
  | { readonly do: 'cancel'; readonly id: number };

/** From the thread. */
export type FromModelThread =
  | { readonly is: 'delta'; readonly id: number; readonly text: string }
  | { readonly is: 'outcome'; readonly id: number; readonly outcome: ModelOutcome }
  | { readonly is: 'used'; readonly credential: ByokCredential; readonly at: number }
  | { readonly is: 'defect'; readonly fields: object; readonly message: string };
