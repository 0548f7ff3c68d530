/** What the parts of the agent's panel are given. */
import type { Thread } from '../../sdk/index.ts';
import type { Names } from '../thread/names.tsx';
import type { OpenThread } from '../thread/open-thread.ts';
import type { ThreadState } from '../thread/thread-state.ts';
import type { Action } from '../../kit/use-action.ts';
import type { ShownSuggestion } from './activity.ts';

export interface AgentPanelProps {
  readonly open: OpenThread;
  readonly state: ThreadState;
  readonly thread: Thread;
  readonly names: Names;
  readonly action: Action;
  readonly onShowRun: (agentRunId: string) => void;
  /** The operator goes on with that text. */
  readonly onTakeOver: (text: string) => void;
}

/** Of the parts that show one suggestion. */
export type SuggestionCardProps = AgentPanelProps & { readonly shown: ShownSuggestion };
