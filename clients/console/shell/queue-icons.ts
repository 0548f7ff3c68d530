import {
  AlarmClock,
  Check,
  CircleUser,
  Clock4,
  Hourglass,
  Inbox,
  type LucideIcon,
  Pause,
  Search,
  Sparkles,
  TriangleAlert,
  UserRoundSearch,
} from 'lucide-react';
import type { QueueName } from '../live/queues.ts';

export const queueIcons: Readonly<Record<QueueName, LucideIcon>> = {
  mine: CircleUser,
  unassigned: UserRoundSearch,
  all: Inbox,
  approval: Sparkles,
  waiting: Hourglass,
  closing: Clock4,
  failed: TriangleAlert,
  paused: Pause,
  closed: Check,
  snoozed: AlarmClock,
  search: Search,
};
