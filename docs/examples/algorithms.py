sw.AlgorithmView("psum", 8, nbytes=2**24)
