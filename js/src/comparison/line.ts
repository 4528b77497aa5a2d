/** What every line of the table is drawn from. */
import type { ComparisonModel } from "./model/comparison";
import type { Way } from "./model/gutter";
import type { Pictures } from "./pictures";
import type { Standing } from "./roles";
import type { ComparisonState } from "./state";

export interface LineProps extends Standing {
  state: ComparisonState;
  model: ComparisonModel;
  pictures: Pictures;
  feeds: boolean;
  /** The way of the axis that is asked about beside it, and its ink. */
  way: Way;
  ink: number;
  /** Whether the last choice of a fix changed it. */
  news: boolean;
  choices: object;
  /** Which of the open row's splits is asked about. */
  asked: number;
  /** Which value of the chain is lit. */
  at: number | null;
  /** Of the open row: what was compiled otherwise. */
  instead: object | null;
}
