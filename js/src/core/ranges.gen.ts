// Generated from shardwidget/document/ by js/generate_types.py. Do not edit.

/**
 * Names of fields that are numbers, or lists of them, by what a value may be; a `count` is not below
 * 0. Fields of the same name in several documents may be what any of them may be.
 */
export const RANGES = {
  "boolean number": "hidden",
  "count": "added aliased allocated_bytes arguments arrays at attempts batch between_bytes bits born bytes_per_device bytes_per_device_before call calls cell chips choice cost count counts deleted device_bits device_id devices dies dim first_line flags freed gaps group_size groups held hints_left hops id infs instructions iteration last least_bytes left_out line lost matches merged_events microbatches more more_types most_devices most_dims moved n nans nbytes operations order outputs own pairs parted peak_bytes plan_bytes planned plans position process ranks raw_bytes reasons refused row runs same same_bytes send_bytes shared size sizes small_cost small_flags source_bytes spent stages steps target_bytes temporaries this_process threshold total total_bytes trips version wanted wasted_bytes",
  "count integer": "first other step variable",
  "count integer null string": "collective",
  "count null": "after copies in_use limit shape times",
  "count null number": "peak",
  "count null string": "before chip collectives source",
  "count number": "bytes",
  "count string": "begins code inputs interconnect lines names shapes specs target through value",
  "integer": "by chosen concat_axis delta device giver group loop nest now_index origins parent region scope senders split_axis strides transfer",
  "integer null": "memory origin",
  "integer null string": "mesh",
  "integer number": "start",
  "integer string": "axis type",
  "null number": "correlation",
  "number": "atol backward_input backward_weight bandwidth begin between_s busiest bytes_accessed bytes_per_second call_s call_wait_s chunk compute compute_s end_s estimate_s exposed exposed_s flops flops_per_second forward hidden_s high high_s idle joined latency link_bytes_per_second links low low_s median_s offset_s overlapped rtol seconds sent share skew_s start_s tick_s time_s wait_high_s wait_s waited_s waiting",
  "number string": "communication",
} as const;
