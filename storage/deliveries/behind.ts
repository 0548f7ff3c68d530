/**
 * Which stitches are behind the log, found by a node in rounds, whatever wake-ups were lost.
 *
 * The row of a stitch lags, and where a stitch wants little of what happens its row is below the log's head nearly always, though it has
 * nothing to do. So a round does not ask each row. It looks at what is new in the log by environment and name, for all stitches of a
 * project at once, and makes candidates of those that may want some of it. A candidate has the number that its row has to reach, and stays a
 * candidate until it has, or until the stitch accepts nothing any more: whoever is told and does not hear it is found again.
 *
 *   unknown project -> known   every stitch whose row is below the log's head is a candidate
 *   known                      so is, round by round, whoever may want what came since the last look, and who is far behind the head: what is
 *                              compared with what has a row after a restart, and what lists read for it, stays short
 *   known -> unknown           its stitches want nothing any more; or the log went back (a failover), or has fewer events than before (a backup was
 *                              restored)
 *
 * What a round looks at is read, but for what this node has committed itself, if that is all that came (own-events.ts).
 *
 * All of it can be found again: a node that starts knows no project. It keeps as much for a project as its stitches and their filters take.
 */
import { type Queries, TimelineChanged } from '../database/index.ts';
import type { AppendedEvents } from '../events/index.ts';
import type { FollowedLog } from './followed-log.ts';
import { type NamedEvents, OwnEvents } from './own-events.ts';

/** Projects and candidates of one statement. All candidates of a page are told at once, and a node takes in 10,000 commands at a time. */
const pageProjects = 500;
const pageStitches = 1_000;
/** What a node remembers; the stitches of further projects are candidates in each round while their rows are below the head. */
const maxProjects = 100_000;
/** A project that has had more events since the last look is unknown again: to read its rows is cheaper. */
const maxNews = 100_000;
/**
 * Who is further behind has its row moved on, though it wants nothing of what came; looked at whenever so many events have come. More would
 * cost lists, which read what is beyond a row (unrecorded.ts); less would cost each stitch two turns and a commit more often.
 */
const maxLag = 5_000;
const lagStep = 1_000;

const selectFollowed = `
  select p.project_id as "projectId", p.last_seq as head, p.subscriptions as version from project_streams p
  where p.project_id > $1 and exists (select from stitch_spans s where s.project_id = p.project_id and s.cancelled_at is null)
  order by p.project_id limit $2`;

const selectNewEvents = (where: string): string => `
  select k.project_id as "projectId", e.environment_id as "environmentId", e.event_name as "eventName", e.newest, e.events
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as k(project_id, after, upto)
  cross join lateral (
    select environment_id, event_name, max(seq) as newest, count(*)::int as events from events
    where project_id = k.project_id and seq > k.after and seq <= k.upto${where} group by 1, 2
  ) e`;

/**
 * First in the partitions of the day: a look into each of forty takes as long as twenty events. Then in all of them, for the projects of which
 * numbers are missing: their events have an instant from another day, by the clock of the node that committed them.
 *
 * Measured with 300 events of each of 500 projects: 2.2 microseconds an event, of which index and row take 1.5, whether the grouping is inside
 * or after the join. An index that has all of it would not be read alone, since no vacuum has come to rows that new.
 */
const newEventReads = [
  {
    name: 'events.newest',
    text: selectNewEvents(
      " and occurred_at > now() - interval '1 hour' and occurred_at < now() + interval '1 hour'",
    ),
  },
  { name: 'events.newest_anywhere', text: selectNewEvents('') },
] as const;

const isLive = `s.archived_at is null and s.status <> 'disabled'`;

const selectBelow = `
  select s.project_id as "projectId", s.stitch_id as "stitchId"
  from unnest($1::text[], $2::bigint[]) as k(project_id, below) join stitches s on s.project_id = k.project_id
  where s.settled_seq < k.below and ${isLive}`;

const selectBehind = `
  select s.stitch_id as "stitchId" from unnest($1::text[], $2::bigint[]) as k(stitch_id, target) join stitches s on s.stitch_id = k.stitch_id
  where s.settled_seq < k.target and ${isLive} order by 1`;

/** The log of a project as a round finds it. */
interface Followed {
  readonly projectId: string;
  /** The number of its newest event. */
  readonly head: number;
  /** Of what its stitches follow. */
  readonly version: number;
}

/** What came of one name. */
interface NewEvents extends NamedEvents {
  readonly projectId: string;
  readonly events: number;
}

interface KnownProject {
  /** What came up to there has been looked at. */
  looked: number;
  /** When the log had come so far, the rows were looked at. */
  checked: number;
  /** The number that the row of each candidate has to reach. */
  readonly candidates: Map<string, number>;
}

export class StitchesBehind {
  readonly #db: Queries;
  readonly #followedLog: Pick<FollowedLog, 'prepareSubscriptions' | 'getSubscriptions'>;
  #known = new Map<string, KnownProject>();
  readonly #own = new OwnEvents();
  #resets = 0;

  constructor(db: Queries, followedLog: Pick<FollowedLog, 'prepareSubscriptions' | 'getSubscriptions'>) {
    this.#db = db;
    this.#followedLog = followedLog;
  }

  /** This node has committed these events: a round need not read them. */
  add(appended: AppendedEvents): void {
    this.#own.add(appended);
  }

  /** Forgets what was looked at: the log may have gone back. Ends the round. */
  reset(): void {
    this.#known = new Map();
    this.#own.reset();
    this.#resets++;
  }

  /** One round: the stitches that are behind, page by page. Rejects as the database does; the next round finds what is missing. */
  async *find(): AsyncGenerator<readonly string[]> {
    const resets = this.#resets;
    const requireSameLog = (): void => {
      if (resets !== this.#resets) throw new TimelineChanged();
    };
    const seen = new Map<string, KnownProject>();
    for (let after = ''; ;) {
      const page = await this.#db.query<Followed>(selectFollowed, [after, pageProjects], 'stitches.followed');
      const projects = await this.#look(page, requireSameLog);
      const candidates = projects.flatMap(({ candidates }) =>
        [...candidates].map(([stitchId, target]) => ({ stitchId, target, candidates })),
      );
      for (let at = 0; at < candidates.length; at += pageStitches) {
        const behind = await this.#listBehind(candidates.slice(at, at + pageStitches));
        requireSameLog();
        yield behind;
      }
      page.forEach(({ projectId }, index) => {
        const project = projects[index];
        if (project !== undefined && seen.size < maxProjects) seen.set(projectId, project);
      });
      after = page.at(-1)?.projectId ?? '';
      if (page.length < pageProjects) break;
    }
    requireSameLog();
    // The round was whole: the others have no stitches that want anything.
    this.#known = seen;
  }

  /** Makes candidates. What was looked at counts only when all of it is read. */
  async #look(page: readonly Followed[], requireSameLog: () => void): Promise<KnownProject[]> {
    requireSameLog();
    const isUnknown = ({ projectId, head }: Followed): boolean => {
      const looked = this.#known.get(projectId)?.looked ?? -Infinity;
      return head < looked || head - looked > maxNews;
    };
    await this.#findWanting(page.filter(each => !isUnknown(each)));
    const below = await this.#findBelow(
      page.flatMap(each => {
        if (isUnknown(each)) return { ...each, below: each.head };
        const checked = this.#known.get(each.projectId)?.checked ?? 0;
        return each.head - checked < lagStep ? [] : { ...each, below: each.head - maxLag };
      }),
    );
    requireSameLog();
    return page.map(({ projectId, head }) => {
      const stitchIds = below.get(projectId);
      const known = this.#known.get(projectId);
      const isShorter = head < (known?.looked ?? 0);
      if (isShorter) this.#own.forget(projectId);
      const project =
        known === undefined || isShorter
          ? { looked: head, checked: head, candidates: new Map<string, number>() }
          : known;
      this.#known.set(projectId, project);
      for (const stitchId of stitchIds ?? []) project.candidates.set(stitchId, head);
      project.looked = head;
      if (stitchIds !== undefined) project.checked = head;
      return project;
    });
  }

  /** Those that may want what came since the last look. */
  async #findWanting(projects: readonly Followed[]): Promise<void> {
    const moved = projects.flatMap(each => {
      const known = this.#known.get(each.projectId);
      return known === undefined || known.looked >= each.head ? [] : { ...each, known };
    });
    if (moved.length === 0) return;
    const byProject = await this.#readNewEvents(moved);
    await this.#followedLog.prepareSubscriptions(moved);
    for (const { projectId, version, known } of moved) {
      const subscriptions = await this.#followedLog.getSubscriptions(projectId, version);
      for (const { environmentId, eventName, newest } of byProject.get(projectId) ?? []) {
        const range = { environmentId, eventName, after: known.looked, newest };
        for (const stitchId of subscriptions.findPossible(range)) {
          known.candidates.set(stitchId, Math.max(newest, known.candidates.get(stitchId) ?? 0));
        }
      }
    }
  }

  /** What came since the last look, by project. */
  async #readNewEvents(
    moved: readonly (Followed & { readonly known: KnownProject })[],
  ): Promise<ReadonlyMap<string, readonly NamedEvents[]>> {
    const found = new Map<string, readonly NamedEvents[]>();
    let missing = moved.filter(({ projectId, head, known }) => {
      const own = this.#own.find(projectId, known.looked, head);
      if (own !== undefined) found.set(projectId, own);
      return own === undefined;
    });
    for (const { text, name } of newEventReads) {
      if (missing.length === 0) break;
      const values = [
        missing.map(({ projectId }) => projectId),
        missing.map(({ known }) => known.looked),
        missing.map(({ head }) => head),
      ];
      const rows = await this.#db.query<NewEvents>(text, values, name);
      const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
      for (const [projectId, news] of byProject) found.set(projectId, news);
      missing = missing.filter(({ projectId, head, known }) => {
        const read = byProject.get(projectId)?.reduce((sum, { events }) => sum + events, 0) ?? 0;
        return read < head - known.looked;
      });
    }
    return found;
  }

  /** The stitches whose rows are below that number, by project: a list for each. */
  async #findBelow(
    projects: readonly (Followed & { readonly below: number })[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map(projects.map(({ projectId }) => [projectId, [] as string[]]));
    if (projects.length === 0) return found;
    const rows = await this.#db.query<{ readonly projectId: string; readonly stitchId: string }>(
      selectBelow,
      [projects.map(({ projectId }) => projectId), projects.map(({ below }) => below)],
      'stitches.below',
    );
    for (const { projectId, stitchId } of rows) found.get(projectId)?.push(stitchId);
    return found;
  }

  /** Those of the candidates that are behind; the others are none any more. */
  async #listBehind(
    page: readonly {
      readonly stitchId: string;
      readonly target: number;
      readonly candidates: Map<string, number>;
    }[],
  ): Promise<string[]> {
    const rows = await this.#db.query<{ readonly stitchId: string }>(
      selectBehind,
      [page.map(({ stitchId }) => stitchId), page.map(({ target }) => target)],
      'stitches.behind',
    );
    const behind = new Set(rows.map(({ stitchId }) => stitchId));
    for (const { stitchId, candidates } of page) if (!behind.has(stitchId)) candidates.delete(stitchId);
    return [...behind];
  }
}
