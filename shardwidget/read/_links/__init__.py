"""Where the transfers of a mesh go on the chips: ``crossing`` counts hops on links, ``links`` is the reader."""
