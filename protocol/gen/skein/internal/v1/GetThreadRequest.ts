// Original file: protocol/internal.proto


export interface GetThreadRequest {
  'projectId'?: (string);
  'environmentId'?: (string);
  'threadId'?: (string);
}

export interface GetThreadRequest__Output {
  'projectId': (string);
  'environmentId': (string);
  'threadId': (string);
}
