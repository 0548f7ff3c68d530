import type { ListDeliveriesQuery } from '../../sdk/index.ts';

export type Status = NonNullable<ListDeliveriesQuery['status']>;

export const statuses: readonly Status[] = [
  'pending',
  'delivering',
  'delivered',
  'retrying',
  'failed',
  'cancelled',
];

export const isStatus = (text: string | null | undefined): text is Status =>
  statuses.some(each => each === text);
