/** The peers' tables: the same work as Skein's main road, without anything it adds. */

export const schema = `
  create table threads (thread_id text primary key, sequence bigint not null, last_message_at timestamptz not null, updated_at timestamptz not null) with (fillfactor = 80);
  create table messages (message_id text primary key, thread_id text not null, sequence bigint not null, direction text not null, body text not null, created_at timestamptz not null, unique (thread_id, sequence));
  create table events (id bigint generated always as identity primary key, event_id text not null, event_name text not null, thread_id text not null, occurred_at timestamptz not null, body json not null);
  create table deliveries (delivery_id text primary key, event_id text not null, status text not null, attempt_count int not null, created_at timestamptz not null);
`;

/** What every peer answers and stores for one inbound message. */
export interface Inbound {
  readonly projectId: string;
  readonly externalParticipantRef: string;
  readonly body: string;
}

/** The event of a message, as each peer stores it. */
export function createEvent(eventId: string, at: string, projectId: string, message: object): string {
  return JSON.stringify({
    eventId,
    eventName: 'thread.message.received',
    occurredAt: at,
    apiVersion: '2026-11-20',
    projectId,
    data: { message },
  });
}
