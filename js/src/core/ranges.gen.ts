// Generated from shardwidget/document/ by js/generate_types.py. Do not edit.

/**
 * Names of fields that are numbers, or lists of them, by what a value may be; a `count` is not below
 * 0. Fields of the same name in several documents may be what any of them may be.
 */
export const RANGES = {
  "boolean count integer": "other",
  "boolean number": "hidden",
  "count": "added aliased allocated_bytes amount arguments arrays at attempts batch between_bytes bits block born bytes_before bytes_now bytes_per_device bytes_per_device_before call calls candidates cell chips choice core cores cost count count_before count_now counts deleted device_bits device_id devices devices_a_chip dies dim donation end first_line flags freed gaps group_size groups held hints_left hops hosts id infs instructions iteration last least_bytes left_out length line lost matches merged_events microbatches more more_types most_devices most_dims most_links moved n nans nbytes operations ops order outputs own pairs parted peak_bytes plan_bytes planned plans position process ranks raw_bytes reasons refused row_size runs same same_bytes send_bytes shared size sizes slots small_cost small_flags source_bytes spent stages steps target_bytes target_core temporaries this_process threshold to total total_bytes tried trips version wasted_bytes wraparound",
  "count integer": "device first slot step variable wanted",
  "count integer null": "memory",
  "count integer null string": "collective source",
  "count integer number": "sent",
  "count integer string": "begins target",
  "count null": "after copies growing in_use limit shape times",
  "count null number": "peak",
  "count null string": "before chip collectives row",
  "count number": "begin busiest bytes idle links",
  "count string": "code inputs interconnect lines names over shapes specs through value",
  "integer": "arrived by chosen compiling concat_axis delta ends giver group instead_of loop most nest now_index origins parent region scope semaphore senders split_axis strides transfer",
  "integer null": "origin",
  "integer null string": "mesh",
  "integer number": "start",
  "integer string": "axis type",
  "null number": "correlation work",
  "number": "atol backward_input backward_weight bandwidth between_s bytes_accessed bytes_per_second call_s call_wait_s chunk compute compute_s end_s estimate_s estimating_s exposed exposed_s flops flops_per_second forward hidden_s high high_s joined latency link_bytes_per_second links_a_hop low low_s median_s offset_s overlapped ridges rtol seconds seconds_after seconds_before share skew_s start_s tick_s time_s wait_high_s wait_s waited_s waiting within_chips",
  "number string": "communication",
} as const;
