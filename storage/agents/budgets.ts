/** Budgets of an environment, as they are set and shown. What is spent of them is read by reads/budgets.ts. */
import type { InferEntity } from '@mikro-orm/core';
import type { BudgetFall, Budgets as BudgetsResource } from '../../protocol/resources/budget.ts';
import { recordDeed, type Deed } from '../audit.ts';
import type { Database } from '../database.ts';
import { Budget } from '../entities/agents.ts';
import type { Place } from '../reads/place.ts';

/** In millionths of a dollar; null: no limit. */
export interface BudgetLimits {
  readonly perRunMicros: number | null;
  readonly perThreadMicros: number | null;
  readonly perProjectDayMicros: number | null;
}

/** The mode of an environment that has never said one. */
const usualFall: BudgetFall = 'paused';

export class BudgetSettings {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Without limits where none were ever set. */
  async get({ projectId, environmentId }: Place): Promise<BudgetsResource> {
    const row = await this.#db.em().findOne(Budget, { projectId, environmentId });
    if (row !== null) return budgetsResource(row);
    const limits: BudgetLimits = { perRunMicros: null, perThreadMicros: null, perProjectDayMicros: null };
    return { projectId, environmentId, ...limits, onExceeded: usualFall, updatedAt: null };
  }

  /** Replaces whatever was set. */
  set(request: Place & Deed & BudgetLimits & { readonly onExceeded: BudgetFall }): Promise<BudgetsResource> {
    const { projectId, environmentId, perRunMicros, perThreadMicros, perProjectDayMicros, onExceeded, now } =
      request;
    const limits: BudgetLimits = { perRunMicros, perThreadMicros, perProjectDayMicros };
    return this.#db.em().transactional(async em => {
      const row = await em.upsert(Budget, {
        ...{ projectId, environmentId, ...limits, fallsTo: onExceeded, updatedAt: new Date(now) },
      });
      const details = { ...limits, onExceeded };
      const act = { action: 'budget.updated', targetId: environmentId, details } as const;
      await recordDeed(em, request, { projectId, environmentId, ...act });
      return budgetsResource(row);
    });
  }
}

function budgetsResource(row: InferEntity<typeof Budget>): BudgetsResource {
  return {
    projectId: row.projectId,
    environmentId: row.environmentId,
    perRunMicros: row.perRunMicros ?? null,
    perThreadMicros: row.perThreadMicros ?? null,
    perProjectDayMicros: row.perProjectDayMicros ?? null,
    onExceeded: row.fallsTo,
    updatedAt: row.updatedAt.toISOString(),
  };
}
