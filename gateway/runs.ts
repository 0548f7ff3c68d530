/** The runs of a node, with all that their tasks work with. */
import { runs, type Runs } from '../actors/run/kind.ts';
import { modelsOf } from '../actors/run/models/models.ts';
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

/** None lives before their node starts. */
export function runsOf({ config, log, clock, database, vault, transport, tools }: RunsOptions): Runs {
  const used: Parameters<typeof modelsOf>[0]['used'] = (key, at) => noteByokUse(database, key, at);
  return runs({
    ...{ clock, log, random: systemRandom, tools },
    plans: plansOf({ db: database, vault, clock, log }),
    models: modelsOf({ urls: config.modelUrls, clock, random: systemRandom, log, used }),
    budgets: budgetsOf({ db: database, clock }),
    show: glimpse => showGlimpse(transport, glimpse),
  });
}
