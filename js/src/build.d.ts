/** Whether a bundle draws bytes and time: copies, waiting, kinds of bytes. The build leaves it out of the others. */
declare const DRAWS_BYTES: boolean;
