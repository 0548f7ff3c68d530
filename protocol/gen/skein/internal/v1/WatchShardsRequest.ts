// Original file: protocol/internal.proto


export interface WatchShardsRequest {
}

export interface WatchShardsRequest__Output {
}
