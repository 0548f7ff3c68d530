/** The runs of a node, with all that their tasks work with. */
import { runs, type Runs } from '../actors/run/kind.ts';
import { ModelThread } from '../actors/run/models/model-thread.ts';
import type { Tools } from '../actors/run/services.ts';
import { budgetsOf } from '../actors/run/tasks/budgets.ts';
import { plansOf } from '../actors/run/tasks/plans.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { systemRandom } from '../runtime/system-random.ts';
import type { Transport } from '../runtime/transport/transport.ts';
import { noteByokUse } from '../storage/agents/byok-use.ts';
import type { Database } from '../storage/database.ts';
import type { Vault } from '../storage/vault.ts';
import type { Config } from './config.ts';
import { showGlimpse } from './stream/glimpses.ts';

export interface RunsOptions {
  readonly config: Pick<Config, 'modelUrls'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly database: Database;
  readonly vault: Vault;
  readonly transport: Pick<Transport, 'publish'>;
  readonly tools: Tools;
}

export interface NodeRuns {
  readonly runs: Runs;
  /** After the node is drained. */
  close(): Promise<void>;
}

/** None lives before their node starts. */
export function runsOf({ config, log, clock, database, vault, transport, tools }: RunsOptions): NodeRuns {
  const models = new ModelThread({
    ...{ urls: config.modelUrls, clock, log },
    used: (key, at) => noteByokUse(database, key, at),
  });
  const made = runs({
    ...{ clock, log, random: systemRandom, tools },
    plans: plansOf({ db: database, vault, clock, log }),
    models,
    budgets: budgetsOf({ db: database, clock }),
    show: glimpse => showGlimpse(transport, glimpse),
  });
  return { runs: made, close: () => models.close() };
}
