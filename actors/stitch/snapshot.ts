/** How a stitch is stored: what lists show and events are matched by are columns of `stitches`, the rest is the private `state`. */
import type { StitchStatus } from '../../protocol/resources/index.ts';
import { getPublicHost } from '../../runtime/outbound/index.ts';
import { instant, snapshotTable } from '../../storage/statements/index.ts';
import { emptyQueue } from './queue.ts';
import type { SealedSecret, StitchState } from './state.ts';

/** The private part. Its keys are those of the stored JSON: they stay, whatever the state calls its fields. */
type StoredState = Pick<
  StitchState,
  'environmentKind' | 'health' | 'dueAt' | 'cancelUntil' | 'replays' | 'made'
> & {
  readonly ownerNews: StitchState['ownerNotifications'];
  /** Absent where the row was written before it was kept, both. */
  readonly madeAt?: number;
  readonly stops?: number;
  /** Absent in rows of earlier releases: the host of such a stitch counts as proven, because its webhooks had no rate. */
  readonly provenHost?: string | null;
};

/** A row of `stitches` as `row_to_json` gives it. */
export interface StitchRow {
  readonly project_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly webhook_url: string | null;
  readonly status: StitchStatus;
  readonly event_names: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived_at: string | null;
  readonly secrets: readonly SealedSecret[];
  readonly settled_seq: number;
  readonly state: StoredState;
}

function toHost(url: string | null): string | null {
  return url === null ? null : (getPublicHost(url) ?? null);
}

/** The state of a row, with an empty queue: for the actor, and for reads that show the stitch without activating it. */
export function decodeStitch(row: StitchRow): StitchState {
  const { ownerNews, madeAt = 0, stops = 0, provenHost = toHost(row.webhook_url), ...stored } = row.state;
  return {
    projectId: row.project_id,
    environmentId: row.environment_id,
    name: row.name,
    webhookUrl: row.webhook_url,
    status: row.status,
    eventNames: row.event_names,
    metadata: row.metadata,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    archivedAt: row.archived_at === null ? null : instant(row.archived_at),
    secrets: row.secrets,
    ...stored,
    madeAt,
    stops,
    provenHost,
    ownerNotifications: ownerNews,
    settledSeq: row.settled_seq,
    queue: { ...emptyQueue, next: row.settled_seq + 1 },
  };
}

export const stitchSnapshot = snapshotTable<StitchState>({
  kind: 'stitch',
  table: 'stitches',
  key: 'stitch_id',
  fixed: { project_id: 'text', environment_id: 'text', created_at: 'timestamptz' },
  columns: {
    name: 'text',
    webhook_url: 'text',
    webhook_host: 'text',
    status: 'text',
    event_names: 'text[]',
    metadata: 'jsonb',
    updated_at: 'timestamptz',
    archived_at: 'timestamptz',
    secrets: 'jsonb',
    state: 'jsonb',
    settled_seq: 'bigint',
  },
  encode: state => {
    const stored: StoredState = {
      environmentKind: state.environmentKind,
      health: state.health,
      dueAt: state.dueAt,
      cancelUntil: state.cancelUntil,
      replays: state.replays,
      ownerNews: state.ownerNotifications,
      made: state.made,
      madeAt: state.madeAt,
      stops: state.stops,
      provenHost: state.provenHost,
    };
    return {
      project_id: state.projectId,
      environment_id: state.environmentId,
      created_at: state.createdAt,
      name: state.name,
      webhook_url: state.webhookUrl,
      webhook_host: toHost(state.webhookUrl),
      status: state.status,
      event_names: state.eventNames,
      metadata: JSON.stringify(state.metadata),
      updated_at: state.updatedAt,
      archived_at: state.archivedAt,
      secrets: JSON.stringify(state.secrets),
      state: JSON.stringify(stored),
      settled_seq: state.settledSeq,
    };
  },
  decode: row => decodeStitch(row as unknown as StitchRow),
});
