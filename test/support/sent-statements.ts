/** What this process sends to a database by the driver: the ORM, the pools and the lanes of commits all go through it. */
import pg from 'pg';

/** A statement as the driver is given it. */
export interface SentStatement {
  readonly text: string;
  /** Empty where it is not prepared. */
  readonly name: string;
}

/** Calls back before each statement is sent, until the returned function is called. One listener after another, not side by side. */
export function onStatement(listener: (sent: SentStatement) => void): () => void {
  const { prototype } = pg.Client;
  const query = Object.getOwnPropertyDescriptor(prototype, 'query');
  if (query === undefined) throw new Error('pg has no query any more');
  const send = query.value as (this: pg.Client, ...given: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [asked] = given as [string | { readonly text: string; readonly name?: string }];
    listener(
      typeof asked === 'string' ? { text: asked, name: '' } : { text: asked.text, name: asked.name ?? '' },
    );
    return send.apply(this, given);
  } as typeof prototype.query;
  return () => void Object.defineProperty(prototype, 'query', query);
}
