/** The migrations in the order in which they run. One that was released is never edited: add another. */
import { Agents } from './agents.ts';
import { AssignedThreads } from './assigned-threads.ts';
import { Audit } from './audit.ts';
import { Chatapp } from './chatapp.ts';
import { ChatappMessages } from './chatapp-messages.ts';
import { ChatappWebhookQueue } from './chatapp-webhook-queue.ts';
import { DueWork } from './due-work.ts';
import { Erasures } from './erasures.ts';
import { FilteredLists } from './filtered-lists.ts';
import { First } from './first.ts';
import { Grounds } from './grounds.ts';
import { HashRoot } from './hash-root.ts';
import { Limits } from './limits.ts';
import { ListedRuns } from './listed-runs.ts';
import { Mails } from './mails.ts';
import { Media } from './media.ts';
import { OwnLooms } from './own-looms.ts';
import { ReadCursors } from './read-cursors.ts';
import { RunTraces } from './run-traces.ts';
import { Runs } from './runs.ts';
import { UnfinishedStitches } from './unfinished-stitches.ts';
import { Usage } from './usage.ts';

export const migrations = [
  { name: '0001-first', class: First },
  { name: '0002-mails', class: Mails },
  { name: '0003-unfinished-stitches', class: UnfinishedStitches },
  { name: '0004-read-cursors', class: ReadCursors },
  { name: '0005-media', class: Media },
  { name: '0006-audit', class: Audit },
  { name: '0007-usage', class: Usage },
  { name: '0008-erasures', class: Erasures },
  { name: '0009-due-work', class: DueWork },
  { name: '0010-agents', class: Agents },
  { name: '0011-grounds', class: Grounds },
  { name: '0012-assigned-threads', class: AssignedThreads },
  { name: '0013-run-traces', class: RunTraces },
  { name: '0014-filtered-lists', class: FilteredLists },
  { name: '0015-listed-runs', class: ListedRuns },
  { name: '0016-own-looms', class: OwnLooms },
  { name: '0017-limits', class: Limits },
  { name: '0021-runs', class: Runs },
  { name: '0022-hash-root', class: HashRoot },
  { name: '0024-chatapp', class: Chatapp },
  { name: '0025-chatapp-messages', class: ChatappMessages },
  { name: '0026-chatapp-webhook-queue', class: ChatappWebhookQueue },
];
