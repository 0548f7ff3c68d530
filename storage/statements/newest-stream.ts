/**
 * How statements find the row of a project in `project_streams`. There is one row, but every transaction of the project updates it, and
 * while a long snapshot is open (a backup, a dump), the server keeps every version. The index (project_id, era) leads to the newest ones.
 */

/** A table expression: the row of the project, read from the newest version on. `projectId`: an SQL expression. */
export function newestStream(projectId: string, alias: string): string {
  return `(select * from project_streams where project_id = ${projectId} order by era desc limit 1) ${alias}`;
}

/**
 * A query that locks the rows and gives their `project_id`, in the order of the ids, so that transactions do not deadlock.
 *
 * @param seen a table with `project_id`, and with `era` as {@link newestStream} found it: another transaction may have raised it since
 */
export function lockStreams(seen: string, lock: 'for update of p' | 'for share of p skip locked'): string {
  return `select p.project_id from ${seen} s join project_streams p on p.project_id = s.project_id and p.era >= s.era order by 1 ${lock}`;
}
