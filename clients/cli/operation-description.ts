/** What `skein api` knows of an operation. */
export interface OperationDescription {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** `key`: an API key may do it, or a person; `signIn`: a person alone. */
  readonly access: 'key' | 'signIn' | 'anyone';
  /** What a key needs. */
  readonly scopes: readonly string[];
  readonly isList: boolean;
  readonly fields: readonly OperationField[];
}

export interface OperationField {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body' | 'header';
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
}
