/** The same random cases at every run, as hypothesis has them on the Python side: a failure is then the change's own. */
import * as fc from "fast-check";

fc.configureGlobal({ seed: 20 });
