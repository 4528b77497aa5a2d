"""Runs every benchmark, one after another, and prints one table."""

from tests.bench import (
    browser,
    comparison,
    corpus,
    imports,
    inspector,
    kernel,
    many,
    memory,
    model,
    pipeline,
    placement,
    playground,
    program,
    read_comparison,
    reshard,
    run,
    search,
    sizes,
    stepper,
    trace,
)
from tests.bench.table import show


def main() -> None:
    """Prints the table."""
    show(
        [
            *placement.rows(),
            *browser.rows(),
            *trace.rows(),
            *corpus.rows(),
            *stepper.rows(),
            *kernel.rows(),
            *read_comparison.rows(),
            *comparison.rows(),
            *program.rows(),
            *model.rows(),
            *inspector.rows(),
            *playground.rows(),
            *pipeline.rows(),
            *reshard.rows(),
            *run.rows(),
            *search.rows(),
            *many.rows(),
            *sizes.rows(),
            *imports.rows(),
            *memory.rows(),
        ]
    )


if __name__ == "__main__":
    main()
