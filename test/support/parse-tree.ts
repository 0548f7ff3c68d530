/**
 * How PostgreSQL itself understands a statement: its parse tree with all names resolved, which the server tells with `debug_print_parse`. Nothing is
 * run. The text is that of `nodeToString` in the server's source (src/backend/nodes/outfuncs.c, read by read.c): `{TAG :field value ...}`,
 * `(item item)`, `<>` for nothing, and tokens with backslashes.
 */
import type pg from 'pg';

export interface TreeNode {
  readonly tag: string;
  readonly fields: ReadonlyMap<string, Tree>;
}

export type Tree = TreeNode | readonly Tree[] | string | undefined;

const settings = 'set debug_print_parse = on; set debug_pretty_print = off; set client_min_messages = log';

/** Reads statements on a connection that nobody else uses. */
export class ParseTrees {
  readonly #client: pg.Client;
  #last: string | undefined;

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('notice', ({ message = '', detail = '' }) => {
      if (message.startsWith('parse tree') && detail.startsWith('{QUERY ')) this.#last = detail;
    });
  }

  static async open(client: pg.Client): Promise<ParseTrees> {
    await client.query(settings);
    return new ParseTrees(client);
  }

  /** The tree of one statement with `$n` parameters: a query or a change of rows. Rejects with the server's error for what it would refuse. */
  async read(statement: string): Promise<TreeNode> {
    this.#last = undefined;
    await this.#client.query(`prepare probe as ${statement}`);
    // The tree of the `prepare` itself has come before.
    const tree = parseTree(this.#last ?? '');
    await this.#client.query('deallocate probe');
    if (!isNode(tree) || tree.tag !== 'QUERY') throw new Error(`no tree of ${statement}`);
    return tree;
  }
}

export const isNode = (tree: Tree): tree is TreeNode => typeof tree === 'object' && !Array.isArray(tree);

export const toList = (tree: Tree): readonly Tree[] => (Array.isArray(tree) ? (tree as readonly Tree[]) : []);

/** Its nodes and lists, one level down. */
export const getParts = (tree: Tree): readonly Tree[] =>
  isNode(tree) ? [...tree.fields.values()] : toList(tree);

export const field = (tree: Tree, name: string): Tree => (isNode(tree) ? tree.fields.get(name) : undefined);

export const getNumber = (tree: Tree, name: string): number => Number(field(tree, name));

function parseTree(text: string): Tree {
  const tokens = [...text.matchAll(/[{}()]|(?:\\.|[^\s(){}\\])+/gs)].map(([token]) => token);
  let at = 0;

  function parseValue(): Tree {
    const token = tokens[at++];
    if (token === '(') {
      const items: Tree[] = [];
      while (at < tokens.length && tokens[at] !== ')') items.push(parseValue());
      at++;
      return items;
    }
    if (token === '{') return parseNode();
    return token === undefined || token === '<>' ? undefined : token.replaceAll(/^"|"$|\\(?=.)/g, '');
  }

  function parseNode(): TreeNode {
    const tag = tokens[at++] ?? '';
    const fields = new Map<string, Tree>();
    while (at < tokens.length && tokens[at] !== '}') {
      const name = (tokens[at++] ?? '').slice(1);
      // A constant has its bytes after its length: of several values only the first is kept.
      let isFirst = true;
      while (at < tokens.length && tokens[at] !== '}' && !tokens[at]?.startsWith(':')) {
        const value = parseValue();
        if (isFirst) fields.set(name, value);
        isFirst = false;
      }
    }
    at++;
    return { tag, fields };
  }

  return parseValue();
}
