/**
 * Whether a statement that reads several tables with a project joins them within one project: the projects of all of them are held equal, to each
 * other or to the same parameter, by conditions that every row has to meet. Rows of one table that have the same primary key, or place, are the same row.
 *
 * It follows columns through joins, sub-selects, common table expressions, unions and groups, by PostgreSQL's own tree of the statement. A condition
 * below OR counts for nothing, except within a sub-select there, whose rows it binds to those outside. Tables that a statement only inserts into
 * are not joined with anything.
 */
import type pg from 'pg';
import {
  field,
  isNode,
  toList,
  getNumber,
  type ParseTrees,
  getParts,
  type Tree,
  type TreeNode,
} from './parse-tree.ts';

/** A table with a column `project_id`. */
interface ProjectTable {
  readonly name: string;
  readonly project: number;
  readonly primaryKey: readonly number[];
}

export interface Schema {
  readonly tables: ReadonlyMap<string, ProjectTable>;
  /** Operators `=` of whatever types. */
  readonly equalities: ReadonlySet<string>;
}

const selectTables = `
  select c.oid::text as oid, c.relname as name, a.attnum as project,
    coalesce((select i.indkey::int2[]::int[] from pg_index i where i.indrelid = c.oid and i.indisprimary), '{}') as "primaryKey"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;

export async function readSchema(client: pg.Client): Promise<Schema> {
  const { rows } = await client.query<ProjectTable & { oid: string }>(selectTables);
  const found = await client.query<{ oid: string }>(
    `select oid::text as oid from pg_operator where oprname = '='`,
  );
  return {
    tables: new Map(rows.map(({ oid, ...table }) => [oid, table])),
    equalities: new Set(found.rows.map(({ oid }) => oid)),
  };
}

/**
 * Groups of tables whose projects are held equal: one group where all are of one project, and none where fewer than two tables with a project
 * are read. Rejects with the server's error for a statement that it does not understand.
 */
export async function groupByProject(
  trees: ParseTrees,
  schema: Schema,
  statement: string,
): Promise<string[][]> {
  const reading = new Reading(schema);
  reading.walk(await trees.read(statement), undefined);
  return reading.groups();
}

/** A query and those around it. */
interface Scope {
  readonly query: TreeNode;
  readonly outer: Scope | undefined;
}

interface Scan {
  readonly key: string;
  readonly table: ProjectTable;
}

// The numbers are those of `RTEKind` and `SubLinkType` (parsenodes.h, primnodes.h), and of `CmdType` (nodes.h), of PostgreSQL 18.
const range = { table: '0', subquery: '1', join: '2', cte: '6', group: '9' };
const link = { any: '2', scalar: '4', array: '6' };
/** The column that names a row's place, by which a statement finds again what it has chosen. */
const ctid = -1;
const selects = '1';
const inserts = '3';

class Reading {
  readonly #schema: Schema;
  readonly #scans: Scan[] = [];
  /** By column or parameter another one that equals it; the end of the chain stands for all. */
  readonly #equals = new Map<string, string>();
  readonly #keys = new Map<Tree, string>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  walk(query: TreeNode, outer: Scope | undefined): void {
    const scope = { query, outer };
    const isInsert = field(query, 'commandType') === inserts;
    const unread = isInsert
      ? [getNumber(query, 'resultRelation'), getNumber(field(query, 'onConflict'), 'exclRelIndex')]
      : [];
    for (const [index, entry] of toList(field(query, 'rtable')).entries()) {
      const table = this.#schema.tables.get(String(field(entry, 'relid')));
      if (field(entry, 'rtekind') !== range.table || table === undefined || unread.includes(index + 1))
        continue;
      this.#scans.push({ key: this.#key(entry), table });
    }
    this.#walkJoins(field(query, 'jointree'), scope);
    for (const part of query.fields.values()) this.#walkInner(part, scope);
  }

  groups(): string[][] {
    this.#uniteSameRows();
    const byProject = Map.groupBy(this.#scans, ({ key, table }) => this.#find(`${key}.${table.project}`));
    return this.#scans.length < 2
      ? []
      : [...byProject.values()].map(scans => scans.map(({ table }) => table.name).sort());
  }

  /** Conditions of FROM, JOIN and WHERE. */
  #walkJoins(tree: Tree, scope: Scope): void {
    if (!isNode(tree)) {
      for (const part of toList(tree)) this.#walkJoins(part, scope);
      return;
    }
    if (tree.tag !== 'FROMEXPR' && tree.tag !== 'JOINEXPR') return;
    for (const name of ['fromlist', 'larg', 'rarg']) this.#walkJoins(field(tree, name), scope);
    this.#hold(field(tree, 'quals'), scope);
  }

  /** The queries within. */
  #walkInner(tree: Tree, scope: Scope): void {
    if (isNode(tree) && tree.tag === 'QUERY') return this.walk(tree, scope);
    for (const part of getParts(tree)) this.#walkInner(part, scope);
  }

  /** What every row has to meet. */
  #hold(condition: Tree, scope: Scope, asked?: Scope): void {
    if (!isNode(condition)) {
      for (const part of toList(condition)) this.#hold(part, scope, asked);
      return;
    }
    const { tag } = condition;
    if (tag === 'BOOLEXPR' && field(condition, 'boolop') === 'and')
      return this.#hold(field(condition, 'args'), scope, asked);
    if (tag === 'SUBLINK' && field(condition, 'subLinkType') === link.any) {
      const query = field(condition, 'subselect');
      if (isNode(query)) this.#hold(field(condition, 'testexpr'), scope, { query, outer: scope });
      return;
    }
    const isAny = tag === 'SCALARARRAYOPEXPR' && field(condition, 'useOr') === 'true';
    if ((tag !== 'OPEXPR' && !isAny) || !this.#schema.equalities.has(String(field(condition, 'opno'))))
      return;
    const [left, right] = toList(field(condition, 'args'));
    for (const one of this.#resolve(left, scope, asked)) {
      for (const other of this.#resolve(right, scope, asked)) this.#unite(one, other);
    }
  }

  /** The columns of tables, and the parameters, that an expression is. `asked`: the sub-select whose columns a test of IN names. */
  #resolve(expression: Tree, scope: Scope, asked?: Scope): string[] {
    if (!isNode(expression)) return [];
    switch (expression.tag) {
      case 'VAR':
        return this.#resolveColumn(expression, scope);
      case 'PARAM': {
        const id = getNumber(expression, 'paramid');
        if (field(expression, 'paramkind') === '0') return [`$${id}`];
        return asked === undefined ? [] : this.#resolveOutput(asked, id);
      }
      case 'RELABELTYPE':
      case 'COERCEVIAIO':
      case 'ARRAYCOERCEEXPR':
        return this.#resolve(field(expression, 'arg'), scope, asked);
      case 'COALESCEEXPR':
        return toList(field(expression, 'args')).flatMap(part => this.#resolve(part, scope, asked));
      case 'ARRAYEXPR':
        return toList(field(expression, 'elements')).flatMap(part => this.#resolve(part, scope, asked));
      case 'SUBLINK': {
        const query = field(expression, 'subselect');
        const type = field(expression, 'subLinkType');
        return (type === link.scalar || type === link.array) && isNode(query)
          ? this.#resolveOutput({ query, outer: scope }, 1)
          : [];
      }
      default:
        return [];
    }
  }

  #resolveColumn(variable: TreeNode, scope: Scope): string[] {
    const own = climb(scope, getNumber(variable, 'varlevelsup'));
    const entry = toList(field(own.query, 'rtable'))[getNumber(variable, 'varno') - 1];
    const column = getNumber(variable, 'varattno');
    const query = field(entry, 'subquery');
    switch (field(entry, 'rtekind')) {
      case range.subquery:
        return isNode(query) ? this.#resolveOutput({ query, outer: own }, column) : [];
      case range.join:
        return this.#resolve(toList(field(entry, 'joinaliasvars'))[column - 1], own);
      case range.group:
        return this.#resolve(toList(field(entry, 'groupexprs'))[column - 1], own);
      case range.cte: {
        if (field(entry, 'self_reference') === 'true') return [];
        const around = climb(own, getNumber(entry, 'ctelevelsup'));
        const named = toList(field(around.query, 'cteList')).find(
          each => field(each, 'ctename') === field(entry, 'ctename'),
        );
        const inner = field(named, 'ctequery');
        return isNode(inner) ? this.#resolveOutput({ query: inner, outer: around }, column) : [];
      }
      default:
        return [`${this.#key(entry)}.${column}`];
    }
  }

  /** A column of a query's rows. Of a union it is the column of each part. */
  #resolveOutput(scope: Scope, column: number): string[] {
    const { query } = scope;
    if (field(query, 'setOperations') !== undefined) {
      return toList(field(query, 'rtable')).flatMap(entry => {
        const part = field(entry, 'subquery');
        return isNode(part) ? this.#resolveOutput({ query: part, outer: scope }, column) : [];
      });
    }
    const outputs = toList(
      field(query, field(query, 'commandType') === selects ? 'targetList' : 'returningList'),
    );
    const output = outputs.find(each => getNumber(each, 'resno') === column);
    return this.#resolve(field(output, 'expr'), scope);
  }

  #uniteSameRows(): void {
    for (const [i, one] of this.#scans.entries()) {
      for (const other of this.#scans.slice(i + 1)) {
        const { primaryKey, project } = one.table;
        if (one.table !== other.table) continue;
        const areEqual = (column: number): boolean =>
          this.#find(`${one.key}.${column}`) === this.#find(`${other.key}.${column}`);
        if ((primaryKey.length > 0 && primaryKey.every(areEqual)) || areEqual(ctid))
          this.#unite(`${one.key}.${project}`, `${other.key}.${project}`);
      }
    }
  }

  #key(entry: Tree): string {
    let key = this.#keys.get(entry);
    if (key === undefined) this.#keys.set(entry, (key = `r${this.#keys.size}`));
    return key;
  }

  #find(name: string): string {
    let end = name;
    for (let next = this.#equals.get(end); next !== undefined; next = this.#equals.get(end)) end = next;
    return end;
  }

  #unite(one: string, other: string): void {
    const [from, to] = [this.#find(one), this.#find(other)];
    if (from !== to) this.#equals.set(from, to);
  }
}

function climb(scope: Scope, levels: number): Scope {
  let found = scope;
  for (let i = 0; i < levels && found.outer !== undefined; i++) found = found.outer;
  return found;
}
