import * as fc from "fast-check";
import { expect, test } from "vitest";
import { reviveBytes } from "../../src/core/saved";
import { base64 } from "../documents";

test("bytes come back from base64, wherever they stand", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (data) => {
      const revived = reviveBytes({ a: [{ $bytes: base64(data) }, 1, null], b: "c" }) as { a: [DataView]; b: string };
      expect([...new Uint8Array(revived.a[0].buffer)]).toEqual([...data]);
      expect(revived.b).toBe("c");
    }),
  );
});

test("damaged base64 is refused", () => {
  expect(() => reviveBytes({ $bytes: "AA*A" })).toThrow("not base64: the file is damaged");
});
